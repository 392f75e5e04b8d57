#include "cli/segments_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "model/key_type.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune::cli {
namespace {

/// A list of integers of 4 or 8 bytes.
KeyArray read_numbers(const std::string& path, const char* what, const ReadLimit& limit) {
  SortInput input = read_input({.path = path, .type = {}, .format = {}, .limit = limit});
  const KeyType type = input.keys.type;
  if (type != KeyType::u32 && type != KeyType::i32 && type != KeyType::u64 && type != KeyType::i64) {
    throw Error(ErrorCode::input,
                fmt::format("{} has {}: {} are i32, u32, i64 or u64", input.name, name_of(type), what));
  }
  if (input.keys.shape.size() > 1) {
    throw Error(ErrorCode::input, fmt::format("{} has the shape ({}): {} are a list", input.name,
                                              fmt::join(input.keys.shape, ", "), what));
  }
  return std::move(input.keys);
}

Operand operand_of(KeyArray& numbers) {
  return {numbers.bytes.data(), numbers.count(), size_of(numbers.type)};
}

}  // namespace

void add_segment_options(CLI::App& command, SegmentOptions& options) {
  add_text(command, "--offsets", options.offsets,
           "Segments of any lengths, each on its own: where each begins, and behind these where the last "
           "one ends; i32, u32, i64 or u64, as .npy or text",
           "FILE");
  add_text(command, "--ends", options.ends,
           "Where each segment ends, as many as --offsets (default: where the next one begins). Keys in no "
           "segment "
           "stay as they are",
           "FILE");
  require_with(command, "--ends", "--offsets");
}

void SegmentInput::add_to(Operands& operands) {
  operands[Role::offsets] = operand_of(offsets);
  if (ends) operands[Role::ends] = operand_of(*ends);
}

std::optional<SegmentInput> read_segments(const SegmentOptions& options, const SortInput& keys,
                                          const ReadLimit& limit) {
  if (options.offsets.empty()) return std::nullopt;
  SegmentInput segments{.offsets = read_numbers(options.offsets, "offsets", limit), .ends = {}, .shape = {}};
  if (!options.ends.empty()) segments.ends = read_numbers(options.ends, "ends", limit);
  const std::uint64_t offsets = segments.offsets.count();
  if (!segments.ends && offsets == 0) {
    throw Error(ErrorCode::input,
                fmt::format("{} has no offsets: there is one more than there are segments", options.offsets));
  }
  if (segments.ends && segments.ends->count() != offsets) {
    throw Error(ErrorCode::input,
                fmt::format("{} has {} offsets, and {} has {} ends: each segment has one of "
                            "each",
                            options.offsets, offsets, options.ends, segments.ends->count()));
  }
  segments.shape = {.n = keys.keys.count(), .rows = segments.ends ? offsets : offsets - 1, .ragged = true};
  Operands operands;
  segments.add_to(operands);
  const Problem problem{{.key = keys.keys.type}, segments.shape};
  if (const auto missing = missing_bounds(problem, operands)) {
    throw Error(ErrorCode::input, fmt::format("{}: {}", options.offsets, *missing));
  }
  if (const auto wrong = find_wrong_segment(problem, operands)) {
    throw Error(ErrorCode::input, fmt::format("{}: {}", options.offsets, *wrong));
  }
  return segments;
}

}  // namespace bitune::cli
