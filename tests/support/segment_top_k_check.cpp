#include "tests/support/segment_top_k_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/call_image.hpp"
#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "model/problem.hpp"

namespace bitune::test {
namespace {

/// The image of a call before it: inputs, and nothing but guards where something is to be written.
std::vector<std::byte> image_before(const Problem& problem, const CallLayout& layout,
                                    const Segments& segments, Distribution distribution, std::uint64_t seed) {
  std::vector<std::byte> image(layout.bytes(), std::byte{GuardedLayout::guard_value});
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.in == Role::offsets || part.array.in == Role::ends) {
      CallLayout::write_bounds(image, part, segments);
    } else if (part.array.in) {
      const auto elements = CallLayout::rows(image, part);
      if (part.array.in == Role::keys_in) {
        fill_keys(elements, problem.key, distribution, seed);
      } else {
        fill_values(elements, seed);
      }
      guard_gaps(std::span(image).subspan(part.begin), part.layout);
    }
  }
  return image;
}

std::optional<std::string> fault_of_first(const Problem& problem, const CallLayout& layout, bool with_keys,
                                          const std::vector<std::byte>& before,
                                          std::vector<std::byte>& after) {
  Operands operands;
  for (const CallLayout::Part& part : layout.parts()) {
    const auto bytes_of = [&](const std::vector<std::byte>& image) {
      return std::span(image).subspan(part.begin, part.layout.bytes());
    };
    const auto given = bytes_of(before);
    const auto found = bytes_of(after);
    if (part.array.in || (part.array.out == Role::keys_out && !with_keys)) {
      if (!std::equal(given.begin(), given.end(), found.begin())) return "wrote to what it only reads";
    } else if (const auto stray = find_stray_write(found, part.layout)) {
      return stray;
    }
    if (part.array.in) operands[*part.array.in] = CallLayout::operand(part, after.data());
    if (part.array.out && (with_keys || part.array.out != Role::keys_out)) {
      operands[*part.array.out] = CallLayout::operand(part, after.data());
    }
  }
  return find_fault(problem, operands);
}

}  // namespace

Problem problem_of_segments(const SortSpec& spec, const Segments& segments) {
  const std::uint64_t keys = segments.count() == 0 ? 0 : segments.begins->back() + segments.lengths->back();
  return {spec, {.n = keys, .rows = segments.count(), .ragged = true}};
}

::testing::AssertionResult gives_first_of_segments(const Device& device, const SortSpec& spec,
                                                   const Segments& segments, Distribution distribution,
                                                   std::uint64_t seed, bool with_keys,
                                                   const CallRunner& run) {
  const Problem problem = problem_of_segments(spec, segments);
  const CallLayout layout(problem, segments);
  const std::vector<std::byte> before = image_before(problem, layout, segments, distribution, seed);
  const auto memory = device.allocate(before.size());
  device.copy_to_device(memory->data(), before.data(), before.size(), nullptr);
  Operands operands;
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.out == Role::keys_out && !with_keys) continue;
    operands[part.array.out ? *part.array.out : *part.array.in] = CallLayout::operand(part, memory->data());
  }
  run(operands);
  std::vector<std::byte> after(before.size());
  device.copy_to_host(after.data(), memory->data(), after.size(), nullptr);
  device.synchronize(nullptr);
  const std::string what =
      fmt::format("{} on {} keys (seed {}{}{})", text_of(problem), name_of(distribution), seed,
                  with_keys ? "" : ", no keys", segments.with_ends ? ", gaps" : "");
  if (const auto fault = fault_of_first(problem, layout, with_keys, before, after)) {
    return ::testing::AssertionFailure() << what << ": " << *fault;
  }
  return ::testing::AssertionSuccess() << what;
}

}  // namespace bitune::test
