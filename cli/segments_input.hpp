#pragma once

/// \file
/// Options that say where the segments of an input lie.

#include <optional>
#include <string>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "cli/sort_input.hpp"

namespace CLI {
class App;
}

namespace bitune::cli {

/// As they are typed.
struct SegmentOptions {
  std::string offsets;
  std::string ends;
};

/// Adds --offsets and --ends.
void add_segment_options(CLI::App& command, SegmentOptions& options);

/// Where segments lie, as it was read.
struct SegmentInput {
  KeyArray offsets;
  std::optional<KeyArray> ends;
  Shape shape;

  /// Adds them to the operands of a call on the host. They must outlive these.
  void add_to(Operands& operands);
};

/// Reads the files of the options; nothing where none is given. \throws Error (usage, io, input) for ends
/// without offsets, files of other types, and segments that end before they begin or behind the keys, or
/// overlap
[[nodiscard]] std::optional<SegmentInput> read_segments(const SegmentOptions& options, const SortInput& keys,
                                                        const ReadLimit& limit);

}  // namespace bitune::cli
