#pragma once

/// \file
/// What the oracle's parts know of the call that they check.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/item_digest.hpp"
#include "measure/oracle.hpp"
#include "measure/row_ranges.hpp"
#include "model/key_order_of.hpp"

namespace bitune::oracle {

/// How keys are ordered, and what else belongs to a result.
struct Rules {
  KeyType key = KeyType::u32;
  bool descending = false;
  bool equal_nans = false;  ///< something travels with the keys
  bool stable = false;      ///< equal keys stay in the order of the input
  unsigned value_bytes = 0;
  unsigned index_bytes = 0;
};

/// One row of a call. What is null is not given.
struct Row {
  const std::byte* keys_in = nullptr;
  const std::byte* keys_out = nullptr;
  const std::byte* values_in = nullptr;
  const std::byte* values_out = nullptr;
  const std::byte* indices_out = nullptr;
  std::uint64_t length = 0;  ///< keys of the input
  std::uint64_t count = 0;   ///< keys of the result: the first so many
  std::uint64_t room = 0;    ///< places of the result: what is behind those keys is filled
};

/// A call, its operands checked against its problem.
class Call {
 public:
  /// \throws Error (usage)
  Call(const Problem& problem, const Operands& operands);

  [[nodiscard]] const Rules& rules() const noexcept { return rules_; }
  [[nodiscard]] Row row(std::uint64_t row) const;
  /// Where the rows of an operand lie.
  [[nodiscard]] const RowRanges& ranges(Role role) const { return ranges_[static_cast<std::size_t>(role)]; }
  [[nodiscard]] const RowRanges& inputs() const { return ranges(Role::keys_in); }

 private:
  void read_offsets();
  void read_lengths();
  void set_ranges();
  /// The operand has room for its rows, or is not there where it need not be.
  void check(Role role, bool needed) const;
  /// Places of the row's result.
  [[nodiscard]] std::uint64_t room(std::uint64_t row) const;
  [[nodiscard]] const std::byte* at(Role role, std::uint64_t row, std::uint64_t element_bytes) const;

  Problem problem_;
  Operands operands_;
  Rules rules_;
  RowRanges::Numbers begins_;   ///< of segments
  RowRanges::Numbers lengths_;  ///< null: n keys each
  std::array<RowRanges, role_count> ranges_;
};

/// Where a key belongs, by the rules of a call.
template <class KeyOrder>
struct Places : key_orders::Places<KeyOrder> {
  explicit Places(const Rules& rules) noexcept
      : key_orders::Places<KeyOrder>(rules.descending, rules.equal_nans) {}
};

[[nodiscard]] inline ValueWords load_value(const std::byte* values, std::uint64_t i, unsigned bytes) {
  using key_orders::load;
  switch (bytes) {
    case 1:
      return {load<std::uint8_t>(values, i), 0};
    case 2:
      return {load<std::uint16_t>(values, i), 0};
    case 4:
      return {load<std::uint32_t>(values, i), 0};
    case 8:
      return {load<std::uint64_t>(values, i), 0};
    default:
      return {load<std::uint64_t>(values, 2 * i), load<std::uint64_t>(values, 2 * i + 1)};
  }
}

[[nodiscard]] inline std::uint64_t load_index(const std::byte* indices, std::uint64_t i, unsigned bytes) {
  return bytes == 4 ? key_orders::load<std::uint32_t>(indices, i)
                    : key_orders::load<std::uint64_t>(indices, i);
}

}  // namespace bitune::oracle
