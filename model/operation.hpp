#pragma once

/// \file
/// What is true of each operation, whatever its keys. A row of `operation_facts` says all that other rooms
/// ask of an operation. Kernels and their variants aside, nothing else tells operations apart
/// (scripts/lib/check_operations.py).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bitune/types.hpp"

namespace bitune {

/// Whether a call has something.
enum class Presence : std::uint8_t { never, optional, always };

struct OperationFacts {
  Operation operation = Operation::sort;
  std::string_view name;     ///< in texts, files and on the command line
  std::string_view summary;  ///< for the help of commands: what it gives

  Presence values = Presence::never;     ///< a value that travels with each key
  Presence indices = Presence::never;    ///< where each key of the result stood
  Presence keys_out = Presence::always;  ///< `optional`: may be left out where there are indices
  /// Gives the first k keys of each row, of rows of their own: the result lies apart from the input, and is
  /// rows of k even where the input is segments.
  bool selects = false;
  /// Equal keys come in the order of the input, whether that is asked for or not.
  bool always_stable = false;

  /// Operations of one kin share kernels. So what was tuned for one may serve another.
  Operation kin = Operation::sort;
  /// What does the same and writes the keys as well. Itself, where keys are written.
  Operation with_keys = Operation::sort;

  /// Of commands, where no width is asked for. Both 0: there keys are all it takes.
  std::uint32_t usual_value_bytes = 0;
  std::uint32_t usual_index_bytes = 0;
  /// What to do where no variant can do it.
  std::string_view instead = "use another key type or device";
};

/// In the order of the enumeration.
inline constexpr std::array operation_facts = {
    OperationFacts{
        .operation = Operation::sort, .name = "sort", .summary = "keys alone", .indices = Presence::optional},
    OperationFacts{.operation = Operation::sort_pairs,
                   .name = "sort_pairs",
                   .summary = "a value travels with each key",
                   .values = Presence::always,
                   .with_keys = Operation::sort_pairs,
                   .usual_value_bytes = 4},
    OperationFacts{.operation = Operation::argsort,
                   .name = "argsort",
                   .summary = "where sorted keys come from",
                   .indices = Presence::always,
                   .keys_out = Presence::never,
                   .usual_index_bytes = 4},
    OperationFacts{.operation = Operation::top_k,
                   .name = "top_k",
                   .summary = "the first k, with their indices",
                   .values = Presence::optional,
                   .indices = Presence::optional,
                   .keys_out = Presence::optional,
                   .selects = true,
                   .always_stable = true,
                   .kin = Operation::top_k,
                   .with_keys = Operation::top_k,
                   .usual_index_bytes = 4,
                   .instead =
                       "the first k are given of rows of at most 2^31 keys, and of longer arrays where "
                       "k is small enough; use argsort, and take the first"},
};

inline constexpr auto all_operations = [] {
  std::array<Operation, operation_facts.size()> all = {};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Operation>(i);
  return all;
}();

/// Precondition: it is one of `all_operations`.
[[nodiscard]] constexpr const OperationFacts& facts_of(Operation operation) noexcept {
  return operation_facts[static_cast<std::size_t>(operation)];
}

/// Whether the first k keys are asked for, not all.
[[nodiscard]] constexpr bool selects(Operation operation) noexcept { return facts_of(operation).selects; }

/// Whether the result may take the place of the keys.
[[nodiscard]] constexpr bool may_be_in_place(Operation operation) noexcept {
  return facts_of(operation).keys_out == Presence::always && !selects(operation);
}

/// "argsort and top_k": the names of those of which that is true.
[[nodiscard]] inline std::string operation_names(bool (*is_true)(const OperationFacts&),
                                                 std::string_view between = " and ") {
  std::string names;
  for (const OperationFacts& facts : operation_facts) {
    if (!is_true(facts)) continue;
    if (!names.empty()) names += between;
    names += facts.name;
  }
  return names;
}

static_assert([] {
  for (const Operation operation : all_operations) {
    if (facts_of(operation).operation != operation) return false;
  }
  return true;
}());

}  // namespace bitune
