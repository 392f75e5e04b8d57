#include "measure/oracle_exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/radix_passes.hpp"

namespace bitune::oracle {
namespace {

/// The items of one row, with its input in order. Key types of one width share the code: it runs where a
/// fault is suspected, and must be quick to compile rather than to run.
template <class U, class Index>
class ExactRow {
 public:
  ExactRow(const Rules& rules, const Row& row, unsigned threads, std::function<U(U)> place)
      : rules_(rules),
        row_(row),
        place_(std::move(place)),
        order_(stable_order<U, Index>(row.length, threads,
                                      [&](std::uint64_t i) { return place_(key_in(i)); })) {}

  [[nodiscard]] std::optional<Fault> fault() const {
    if (rules_.stable) return fault_of_stable();
    return row_.indices_out != nullptr ? fault_of_indices() : fault_of_copies();
  }

 private:
  /// A pair of the result or of the input; `at` is its place or index there.
  struct Pair {
    U key;
    ValueWords value;
    std::uint64_t at;
    [[nodiscard]] auto item() const { return std::tie(key, value); }
    bool operator<(const Pair& other) const {
      return item() != other.item() ? item() < other.item() : at < other.at;
    }
  };

  [[nodiscard]] U key_in(std::uint64_t i) const { return key_orders::load<U>(row_.keys_in, i); }
  [[nodiscard]] U key_out(std::uint64_t i) const { return key_orders::load<U>(row_.keys_out, i); }
  [[nodiscard]] ValueWords value_in(std::uint64_t i) const {
    return row_.values_out == nullptr ? ValueWords{} : load_value(row_.values_in, i, rules_.value_bytes);
  }
  [[nodiscard]] ValueWords value_out(std::uint64_t i) const {
    return row_.values_out == nullptr ? ValueWords{} : load_value(row_.values_out, i, rules_.value_bytes);
  }

  [[nodiscard]] static std::string text(U key) { return fmt::format("0x{:0{}x}", key, 2 * sizeof(U)); }
  [[nodiscard]] std::string text(const ValueWords& value) const {
    if (rules_.value_bytes == 16) return fmt::format("0x{:016x}{:016x}", value.high, value.low);
    return fmt::format("0x{:0{}x}", value.low, 2 * rules_.value_bytes);
  }

  /// What is wrong at place i if the item of the input at `index` belongs there.
  [[nodiscard]] std::optional<Fault> fault_at(std::uint64_t i, std::uint64_t index) const {
    if (row_.keys_out != nullptr && key_out(i) != key_in(index)) {
      return Fault{i, fmt::format("key {} where {} belongs", text(key_out(i)), text(key_in(index)))};
    }
    if (row_.indices_out != nullptr) {
      const std::uint64_t found = load_index(row_.indices_out, i, rules_.index_bytes);
      if (found != index) return Fault{i, fmt::format("index {} where {} belongs", found, index)};
    }
    if (value_out(i) != value_in(index)) {
      return Fault{i, fmt::format("value {} where {} belongs, with key {}", text(value_out(i)),
                                  text(value_in(index)), text(key_in(index)))};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Fault> fault_of_stable() const {
    for (std::uint64_t i = 0; i < row_.count; ++i) {
      if (auto fault = fault_at(i, order_[i].index)) return fault;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Fault> fault_of_indices() const {
    std::vector<bool> met(row_.length);
    for (std::uint64_t i = 0; i < row_.count; ++i) {
      const std::uint64_t index = load_index(row_.indices_out, i, rules_.index_bytes);
      if (index >= row_.length) {
        return Fault{i, fmt::format("index {}, but there are only {} keys", index, row_.length)};
      }
      if (met[index]) return Fault{i, fmt::format("index {} for the second time", index)};
      met[index] = true;
      if (place_(key_in(index)) != order_[i].place) {
        return Fault{i, fmt::format("index {}, of key {}, where one of key {} belongs", index,
                                    text(key_in(index)), text(key_in(order_[i].index)))};
      }
      if (auto fault = fault_at(i, index)) return fault;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Fault> fault_of_copies() const {
    for (std::uint64_t i = 0; i < row_.count; ++i) {
      if (place_(key_out(i)) != order_[i].place) {
        return Fault{i,
                     fmt::format("key {} where {} belongs", text(key_out(i)), text(key_in(order_[i].index)))};
      }
    }
    for (std::uint64_t begin = 0; row_.values_out != nullptr && begin < row_.count;) {
      std::uint64_t end = begin + 1;
      while (end < row_.count && order_[end].place == order_[begin].place) ++end;
      if (auto fault = fault_of_equal_keys(begin, end)) return fault;
      begin = end;
    }
    return std::nullopt;
  }

  /// Places begin .. end - 1 hold equal keys, of which the order is free.
  [[nodiscard]] std::optional<Fault> fault_of_equal_keys(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Pair> found;
    std::vector<Pair> given;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t index = order_[i].index;
      found.push_back({key_out(i), value_out(i), i});
      given.push_back({key_in(index), value_in(index), index});
    }
    std::sort(found.begin(), found.end());
    std::sort(given.begin(), given.end());
    const Pair* first = nullptr;
    auto next = given.begin();
    for (const Pair& pair : found) {
      while (next != given.end() && next->item() < pair.item()) ++next;
      if (next != given.end() && next->item() == pair.item()) {
        ++next;
      } else if (first == nullptr || pair.at < first->at) {
        first = &pair;
      }
    }
    if (first == nullptr) return std::nullopt;
    return Fault{first->at,
                 fmt::format("value {} with key {}, which the input does not have, or not as often",
                             text(first->value), text(first->key))};
  }

  const Rules& rules_;
  const Row& row_;
  std::function<U(U)> place_;
  std::unique_ptr<PlacedIndex<U, Index>[]> order_;
};

}  // namespace

std::optional<Fault> fault_of(const Rules& rules, const Row& row, unsigned threads) {
  return key_orders::with_order(rules.key, [&](auto key_order) -> std::optional<Fault> {
    using KeyOrder = decltype(key_order);
    using U = typename KeyOrder::Bits;
    const Places<KeyOrder> place(rules);
    if (row.length <= std::numeric_limits<std::uint32_t>::max())
      return ExactRow<U, std::uint32_t>(rules, row, threads, place).fault();
    return ExactRow<U, std::uint64_t>(rules, row, threads, place).fault();
  });
}

}  // namespace bitune::oracle
