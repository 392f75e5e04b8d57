#pragma once

/// \file
/// The oracle's quick look: it takes most right results for right, and leaves the rest to the close look.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "measure/item_digest.hpp"
#include "measure/oracle_call.hpp"

namespace bitune::oracle {

/// What parts of one row come to. A row is right if each part is in order and their sum is even.
struct Balance {
  explicit Balance(std::uint64_t seed) noexcept : items(seed) {}

  ItemDigest items;  ///< of the input, less the result's
  std::int64_t before =
      0;                  ///< input keys that belong before the result's last one, less those before it there
  std::int64_t last = 0;  ///< input keys equal to the result's last one, less the result's

  Balance& operator+=(const Balance& other) noexcept {
    items += other.items;
    before += other.before;
    last += other.last;
    return *this;
  }
  [[nodiscard]] bool is_even() const noexcept { return items.is_zero() && before == 0 && last >= 0; }
};

/// Which indices were met, of all rows. Several threads may claim at once.
class ClaimedIndices {
 public:
  explicit ClaimedIndices(std::uint64_t count) : words_((count + 63) / 64) {}

  /// False if it was claimed before.
  [[nodiscard]] bool claim(std::uint64_t index) {
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    const std::atomic_ref<std::uint64_t> word(words_[index / 64]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Looks at results of keys, or of keys with values, by their digests.
template <class KeyOrder>
class CopyScreen {
 public:
  explicit CopyScreen(const Rules& rules) : rules_(rules), place_(rules) {}

  /// Looks at places first .. last - 1 of the row, and at those of its result. False: they are not right, or
  /// a quick look does not tell.
  [[nodiscard]] bool look(const Row& row, std::uint64_t first, std::uint64_t last, Balance& balance) const {
    if (row.count == 0) return true;
    const bool is_cut = row.count < row.length;
    if (row.values_out == nullptr) {
      return is_cut ? look_at_first_keys(row, first, last, balance) : look_at_keys(row, first, last, balance);
    }
    // Which of several equal keys come last in a cut result, digests do not tell.
    return !is_cut && look_at_pairs(row, first, last, balance);
  }

 private:
  using U = typename KeyOrder::Bits;

  bool look_at_keys(const Row& row, std::uint64_t first, std::uint64_t last, Balance& balance) const {
    if (!in_order(row.keys_out, first, last)) return false;
    ItemDigest items = balance.items;
    for (std::uint64_t i = first; i < last; ++i) {
      items.add(key_orders::load<U>(row.keys_in, i));
      items.subtract(key_orders::load<U>(row.keys_out, i));
    }
    balance.items = items;
    return true;
  }

  // Equal keys are equal bits here, so that of the last ones only the number matters.
  bool look_at_first_keys(const Row& row, std::uint64_t first, std::uint64_t last, Balance& balance) const {
    const std::uint64_t out_last = std::min(last, row.count);
    if (!in_order(row.keys_out, first, out_last)) return false;
    const U end = key_orders::load<U>(row.keys_out, row.count - 1);
    for (std::uint64_t i = first; i < last; ++i) {
      const U key = key_orders::load<U>(row.keys_in, i);
      if (key == end) {
        ++balance.last;
      } else if (place_(key) < place_(end)) {
        balance.items.add(key);
      }
    }
    for (std::uint64_t i = first; i < out_last; ++i) {
      const U key = key_orders::load<U>(row.keys_out, i);
      if (key == end) {
        --balance.last;
      } else {
        balance.items.subtract(key);
      }
    }
    return true;
  }

  bool look_at_pairs(const Row& row, std::uint64_t first, std::uint64_t last, Balance& balance) const {
    if (!in_order(row.keys_out, first, last)) return false;
    const unsigned bytes = rules_.value_bytes;
    ItemDigest items = balance.items;
    for (std::uint64_t i = first; i < last; ++i) {
      const U key = key_orders::load<U>(row.keys_out, i);
      const ValueWords value = load_value(row.values_out, i, bytes);
      // Equal keys with different values: which belongs first, digests do not tell.
      if (rules_.stable && i > 0 && place_(key_orders::load<U>(row.keys_out, i - 1)) == place_(key) &&
          (key != key_orders::load<U>(row.keys_out, i - 1) ||
           value != load_value(row.values_out, i - 1, bytes))) {
        return false;
      }
      items.add(key_orders::load<U>(row.keys_in, i), load_value(row.values_in, i, bytes));
      items.subtract(key, value);
    }
    balance.items = items;
    return true;
  }

  bool in_order(const std::byte* keys, std::uint64_t first, std::uint64_t last) const {
    if (first >= last) return true;
    U before = place_(key_orders::load<U>(keys, first == 0 ? 0 : first - 1));
    bool right = true;  // not left at the first fault: right results have none
    for (std::uint64_t i = first; i < last; ++i) {
      const U here = place_(key_orders::load<U>(keys, i));
      right = right && before <= here;
      before = here;
    }
    return right;
  }

  const Rules& rules_;
  Places<KeyOrder> place_;
};

/// Looks at results with indices: these say where each key comes from, and nothing rests on digests.
template <class KeyOrder>
class IndexScreen {
 public:
  IndexScreen(const Rules& rules, ClaimedIndices& claimed)
      : rules_(rules), place_(rules), claimed_(claimed) {}

  /// As CopyScreen::look. `base`: the number of the row's first index among those of all rows.
  [[nodiscard]] bool look(const Row& row, std::uint64_t base, std::uint64_t first, std::uint64_t last,
                          Balance& balance) const {
    const std::uint64_t out_last = std::min(last, row.count);
    Key before;
    if (first > 0 && first < out_last && !load(row, first - 1, before)) return false;
    for (std::uint64_t i = first; i < out_last; ++i) {
      Key here;
      if (!load(row, i, here) || !follows(row, i, here)) return false;
      if (i > 0 && !may_precede(before, here)) return false;
      // Where indices ascend among equal keys, none comes twice.
      if (!rules_.stable && !claimed_.claim(base + here.index)) return false;
      before = here;
    }
    if (row.count == row.length || row.count == 0) return true;
    Key end;
    if (!load(row, row.count - 1, end)) return false;
    for (std::uint64_t i = first; i < last; ++i) {
      const U place = place_(key_orders::load<U>(row.keys_in, i));
      if (place < end.place || (place == end.place && i < end.index)) ++balance.before;
    }
    balance.before -= static_cast<std::int64_t>(std::min(last, row.count - 1)) -
                      static_cast<std::int64_t>(std::min(first, row.count - 1));
    return true;
  }

 private:
  using U = typename KeyOrder::Bits;
  struct Key {
    std::uint64_t index = 0;
    U bits = 0;
    U place = 0;
  };

  bool load(const Row& row, std::uint64_t i, Key& key) const {
    key.index = load_index(row.indices_out, i, rules_.index_bytes);
    if (key.index >= row.length) return false;
    key.bits = key_orders::load<U>(row.keys_in, key.index);
    key.place = place_(key.bits);
    return true;
  }
  /// Whether the key and value of the result are those of the index.
  bool follows(const Row& row, std::uint64_t i, const Key& key) const {
    if (row.keys_out != nullptr && key_orders::load<U>(row.keys_out, i) != key.bits) return false;
    return row.values_out == nullptr || load_value(row.values_out, i, rules_.value_bytes) ==
                                            load_value(row.values_in, key.index, rules_.value_bytes);
  }
  bool may_precede(const Key& a, const Key& b) const {
    return a.place < b.place || (a.place == b.place && (!rules_.stable || a.index < b.index));
  }

  const Rules& rules_;
  Places<KeyOrder> place_;
  ClaimedIndices& claimed_;
};

}  // namespace bitune::oracle
