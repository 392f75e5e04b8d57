#pragma once

/// \file
/// Calls in the host's memory with right results, made the plain way: what the oracle's tests spoil.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/inputs.hpp"
#include "measure/oracle.hpp"

namespace bitune::test {

/// How the rows of a call lie.
struct HostLayout {
  std::uint64_t gap_in = 0;   ///< elements between two rows of each input
  std::uint64_t gap_out = 0;  ///< and of each output
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> ends;  ///< of segments; empty: one ends where the next one begins
  std::vector<std::uint64_t> lengths;
};

class HostCall {
 public:
  /// Makes input and right result: by std::stable_sort, whether the problem is stable or not.
  HostCall(const Problem& problem, const HostLayout& layout, Distribution distribution,
           std::uint64_t seed = 1);

  [[nodiscard]] std::optional<std::string> fault() { return find_fault(problem, operands(), options); }
  [[nodiscard]] Operands operands();

  [[nodiscard]] std::uint64_t length(std::uint64_t row) const;  ///< of the input
  [[nodiscard]] std::uint64_t count(std::uint64_t row) const;   ///< of the result
  /// "row 3, place 7: ", as the oracle begins its sentences.
  [[nodiscard]] std::string where(std::uint64_t row, std::uint64_t place) const;

  [[nodiscard]] std::uint64_t key_in(std::uint64_t row, std::uint64_t i) const;
  [[nodiscard]] std::uint64_t key_out(std::uint64_t row, std::uint64_t i) const;
  void set_key(std::uint64_t row, std::uint64_t i, std::uint64_t bits);
  [[nodiscard]] std::uint64_t index(std::uint64_t row, std::uint64_t i) const;
  void set_index(std::uint64_t row, std::uint64_t i, std::uint64_t index);
  /// Two places of a row swap what they have.
  void swap_keys(std::uint64_t row, std::uint64_t a, std::uint64_t b);
  void swap_values(std::uint64_t row, std::uint64_t a, std::uint64_t b);
  void swap_indices(std::uint64_t row, std::uint64_t a, std::uint64_t b);
  void swap_items(std::uint64_t row, std::uint64_t a, std::uint64_t b);
  /// Whether the places' values differ (or there are none), and whether their keys are equal as they sort.
  [[nodiscard]] bool values_differ(std::uint64_t row, std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] bool keys_tie(std::uint64_t row, std::uint64_t a, std::uint64_t b) const;
  /// Puts the input's item at `index` to a place.
  void put_item(std::uint64_t row, std::uint64_t place, std::uint64_t index);
  [[nodiscard]] bool is_nan(std::uint64_t bits) const;
  /// The place of a key in its order: equal places are equal keys.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t bits) const;
  /// Where in the input the keys of the row's result stand, if it is right and stable.
  [[nodiscard]] std::vector<std::uint64_t> order(std::uint64_t row) const;

  Problem problem;
  HostLayout layout;
  OracleOptions options;
  bool with_keys_out = true;
  std::vector<std::byte> keys_in, keys_out, values_in, values_out, indices_out;

 private:
  [[nodiscard]] std::uint64_t begin_in(std::uint64_t row) const;
  [[nodiscard]] std::uint64_t begin_out(std::uint64_t row) const;
  [[nodiscard]] std::uint64_t width_out() const;
  /// Writes what belongs where a row has fewer than k keys.
  void fill(std::uint64_t row);
  void swap_bytes(std::vector<std::byte>& bytes, std::uint64_t size, std::uint64_t row, std::uint64_t a,
                  std::uint64_t b) const;

  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint32_t> narrow_offsets_, narrow_ends_;
};

}  // namespace bitune::test
