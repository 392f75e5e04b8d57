#include "tests/support/segment_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

#include "measure/guarded_image.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "tests/support/call_inputs.hpp"
#include "tests/support/call_memory.hpp"

namespace bitune::test {
namespace {

/// Memory of a call. `ranges`: what may be written of each array. What lies between them looks like what
/// guards an array, so that it shows if it is written.
CallMemory memory_of(const Device& device, const Problem& problem, const RowRanges& ranges,
                     Distribution distribution, std::uint64_t seed, bool in_place) {
  CallMemory memory(problem, &device);
  for (const CallArray& array : arrays_of(problem)) {
    GuardedLayout layout(array.element_bytes, ranges);
    layout.elements = problem.n;
    if (!array.in) {
      memory.add(*array.out, GuardedImage(layout));
      continue;
    }
    const std::vector<std::byte> elements = array.in == Role::keys_in
                                                ? make_keys(problem.key, problem.n, distribution, seed)
                                                : random_bytes(problem.n * array.element_bytes, seed);
    std::vector<std::byte> packed;
    for (std::uint64_t i = 0; i < ranges.rows; ++i) {
      const auto* const from = elements.data() + ranges.begin(i) * array.element_bytes;
      packed.insert(packed.end(), from, from + ranges.length(i) * array.element_bytes);
    }
    memory.add(*array.in, GuardedImage(layout, packed));
    if (array.out) memory.add_output(*array.out, *array.in, layout, in_place);
  }
  return memory;
}

std::vector<std::byte> packed_numbers(const std::vector<std::uint64_t>& numbers, std::size_t bytes) {
  std::vector<std::byte> packed(numbers.size() * bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(&packed[i * bytes], &numbers[i], bytes);
  return packed;
}

RowRanges::Numbers shared_numbers(const std::vector<std::uint64_t>& numbers) {
  return std::make_shared<const std::vector<std::uint64_t>>(numbers);
}

}  // namespace

SegmentPlaces places_of(std::vector<std::uint64_t> lengths, std::size_t number_bytes, bool gaps) {
  SegmentPlaces places;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (gaps) places.keys += 1 + i % 3;
    places.begins.push_back(places.keys);
    places.keys += lengths[i];
  }
  if (gaps) places.keys += 2;
  places.lengths = std::move(lengths);
  places.number_bytes = number_bytes;
  places.with_ends = gaps;
  return places;
}

std::vector<std::uint64_t> mixed_lengths(std::size_t count, std::uint64_t most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> lengths(count);
  for (std::uint64_t& length : lengths) {
    const std::uint64_t octaves = random() % (std::bit_width(most) + 1);
    length = std::min(most, random() % ((std::uint64_t{1} << octaves) + 1));
  }
  return lengths;
}

::testing::AssertionResult sorts_segments(const Device& device, const SortSpec& spec,
                                          const SegmentPlaces& places, Distribution distribution,
                                          std::uint64_t seed, bool in_place, const CallRunner& run) {
  const Problem problem = places.problem(spec);
  CallMemory call = memory_of(device, problem,
                              {.rows = places.lengths.size(),
                               .begins = shared_numbers(places.begins),
                               .lengths = shared_numbers(places.lengths)},
                              distribution, seed, in_place);
  std::vector<std::uint64_t> offsets = places.begins;
  if (places.with_ends) {
    std::vector<std::uint64_t> ends = places.begins;
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += places.lengths[i];
    call.add_numbers(Role::ends, packed_numbers(ends, places.number_bytes), places.number_bytes);
  } else {
    offsets.push_back(places.begins.empty() ? 0 : places.begins.back() + places.lengths.back());
  }
  call.add_numbers(Role::offsets, packed_numbers(offsets, places.number_bytes), places.number_bytes);
  run(call.operands());
  device.synchronize(nullptr);
  const std::string what =
      fmt::format("{} on {} keys (seed {}{}{}, {} bytes an offset)", text_of(problem), name_of(distribution),
                  seed, in_place ? ", in place" : "", places.with_ends ? ", gaps" : "", places.number_bytes);
  if (const auto fault = call.fault()) return ::testing::AssertionFailure() << what << ": " << *fault;
  return ::testing::AssertionSuccess() << what;
}

::testing::AssertionResult sorts_segments(const Bench& bench, const SortSpec& spec,
                                          const SegmentPlaces& places, const Configuration& configuration,
                                          Distribution distribution, std::uint64_t seed, bool in_place) {
  return by_configuration(bench, places.problem(spec), configuration, [&](const CallRunner& run) {
    return sorts_segments(*bench.device, spec, places, distribution, seed, in_place, run);
  });
}

::testing::AssertionResult keeps_within_keys(const Bench& bench, const SortSpec& spec,
                                             const std::vector<std::uint64_t>& offsets,
                                             const std::vector<std::uint64_t>& ends, std::size_t number_bytes,
                                             std::uint64_t keys, const Configuration& configuration) {
  const std::uint64_t segments = ends.empty() ? offsets.size() - 1 : ends.size();
  const Problem problem{spec, {.n = keys, .rows = segments, .ragged = true}};
  return by_configuration(bench, problem, configuration, [&](const CallRunner& run) {
    CallMemory call = memory_of(*bench.device, problem, {.rows = 1, .row_length = keys, .row_stride = keys},
                                Distribution::random, segments, true);
    call.add_numbers(Role::offsets, packed_numbers(offsets, number_bytes), number_bytes);
    if (!ends.empty()) call.add_numbers(Role::ends, packed_numbers(ends, number_bytes), number_bytes);
    run(call.operands());
    bench.device->synchronize(nullptr);
    if (const auto stray = call.stray())
      return ::testing::AssertionFailure() << text_of(problem) << ": " << *stray;
    return ::testing::AssertionSuccess();
  });
}

}  // namespace bitune::test
