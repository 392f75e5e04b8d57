#pragma once

/// \file
/// A call of a Sorter with its data, in the host's memory, and the oracle's word on what came of it.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "measure/call_image.hpp"
#include "measure/guarded_image.hpp"
#include "measure/inputs.hpp"
#include "model/problem.hpp"

namespace bitune::test {

/// One call, with keys of a distribution: all kinds, unless told otherwise.
class CheckedCall {
 public:
  explicit CheckedCall(const Problem& problem, Distribution keys = Distribution::special,
                       RowGaps gaps = RowGaps::none)
      : problem_(problem),
        layout_(problem, gaps),
        before_(layout_.bytes(), std::byte{GuardedLayout::guard_value}) {
    for (const CallLayout::Part& part : layout_.parts()) {
      if (!part.array.in) continue;
      std::vector<std::byte> packed(problem.rows * part.array.row_length * part.array.element_bytes);
      if (part.array.in == Role::keys_in) {
        fill_keys(packed, problem.key, keys, 1);
      } else {
        fill_values(packed, 2);
      }
      place_rows(std::span(before_).subspan(part.begin, part.layout.bytes()), part.layout, packed);
    }
  }

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }

  /// Of arrays in host memory. What is wrong with the result; nothing if it is right. \throws Error as run
  [[nodiscard]] std::optional<std::string> on_host(Sorter& sorter) const {
    std::vector<std::byte> image = before_;
    sorter.run_host(problem_, operands_in(image.data()));
    return fault_in(image);
  }

 protected:
  [[nodiscard]] Operands operands_in(void* image) const {
    Operands operands;
    for (const CallLayout::Part& part : layout_.parts()) {
      const Role role = part.array.out ? *part.array.out : *part.array.in;
      operands[role] = CallLayout::operand(part, image);
    }
    return operands;
  }

  [[nodiscard]] const std::vector<std::byte>& before() const noexcept { return before_; }

  [[nodiscard]] std::optional<std::string> fault_in(const std::vector<std::byte>& image) const {
    auto fault = find_fault_of_call(problem_, layout_, before_, image);
    if (fault) fault = text_of(problem_) + ": " + *fault;
    return fault;
  }

 private:
  Problem problem_;
  CallLayout layout_;
  std::vector<std::byte> before_;
};

}  // namespace bitune::test
