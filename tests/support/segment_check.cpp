#include "tests/support/segment_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tests/support/call_inputs.hpp"
#include "tests/support/device_image.hpp"

namespace bitune::test {
namespace {

GuardedLayout whole_array(std::size_t element_bytes, std::uint64_t elements) {
  return {element_bytes, {.rows = 1, .row_length = elements, .row_stride = elements}};
}

GuardedImage numbers_image(const std::vector<std::uint64_t>& numbers, std::size_t bytes) {
  std::vector<std::byte> packed(numbers.size() * bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(&packed[i * bytes], &numbers[i], bytes);
  return {whole_array(bytes, numbers.size()), packed};
}

/// The operands of a call on the device, and their images before it.
class SegmentCall {
 public:
  /// `ranges`: what may be written of each array.
  SegmentCall(const Device& device, const Problem& problem, const RowRanges& ranges,
              Distribution distribution, std::uint64_t seed, bool in_place)
      : device_(device), problem_(problem), ranges_(ranges) {
    const auto input = [&](std::size_t bytes, const std::vector<std::byte>& elements) {
      // What lies between segments looks like what guards an array, so that it shows if it is written.
      GuardedImage image(layout(bytes));
      std::vector<std::byte> packed;
      for (std::uint64_t i = 0; i < ranges.rows; ++i) {
        const auto* const from = elements.data() + ranges.begin(i) * bytes;
        packed.insert(packed.end(), from, from + ranges.length(i) * bytes);
      }
      place_rows(image.bytes(), image.layout(), packed);
      return image;
    };
    const std::size_t key = size_of(problem.key);
    add(Role::keys_in, input(key, make_keys(problem.key, problem.n, distribution, seed)));
    if (writes_keys(problem)) add_output(Role::keys_out, Role::keys_in, key, in_place);
    if (problem.value_bytes != 0) {
      add(Role::values_in, input(problem.value_bytes, random_bytes(problem.n * problem.value_bytes, seed)));
      add_output(Role::values_out, Role::values_in, problem.value_bytes, in_place);
    }
    if (problem.index_bytes != 0) add(Role::indices_out, GuardedImage(layout(problem.index_bytes)));
  }

  void add_numbers(Role role, const std::vector<std::uint64_t>& numbers, std::size_t bytes) {
    add(role, numbers_image(numbers, bytes));
    operands_[role].stride = bytes;
  }

  [[nodiscard]] const Operands& operands() const { return operands_; }

  /// What is wrong after the call but for the result itself.
  [[nodiscard]] std::optional<std::string> stray() {
    for (const auto& [role, image] : images_) {
      const Role memory = shared_.contains(role) ? shared_.at(role) : role;
      after_.emplace(role, images_on_device_.at(memory).download());
      if (auto found = find_stray_write(after_.at(role).bytes(), image.layout())) return found;
      if (is_only_read(role) && after_.at(role) != image) return "an input was changed";
    }
    return std::nullopt;
  }

  /// By the oracle. Precondition: stray() was asked.
  [[nodiscard]] std::optional<std::string> fault() const {
    Operands on_host;
    for (const auto& [role, image] : images_) {
      on_host[role] = is_input(role) ? image.operand() : after_.at(role).operand();
      if (is_number(role)) on_host[role].stride = image.layout().element_bytes;
    }
    return find_fault(problem_, on_host);
  }

 private:
  static bool is_number(Role role) { return role == Role::offsets || role == Role::ends; }
  static bool is_input(Role role) {
    return role == Role::keys_in || role == Role::values_in || is_number(role);
  }
  [[nodiscard]] bool is_only_read(Role role) const {
    if (!is_input(role)) return false;
    return std::none_of(shared_.begin(), shared_.end(), [&](const auto& one) { return one.second == role; });
  }
  [[nodiscard]] GuardedLayout layout(std::size_t bytes) const {
    GuardedLayout of_segments(bytes, ranges_);
    of_segments.elements = problem_.n;
    return of_segments;
  }
  void add(Role role, const GuardedImage& image) {
    const std::size_t offset = 3 * image.layout().element_bytes;  // aligned to its elements, and no more
    images_.emplace(role, image);
    operands_[role] = images_on_device_.try_emplace(role, device_, image, offset).first->second.operand();
  }
  void add_output(Role role, Role input, std::size_t bytes, bool in_place) {
    if (!in_place) return add(role, GuardedImage(layout(bytes)));
    images_.emplace(role, images_.at(input));
    shared_.emplace(role, input);
    operands_[role] = operands_[input];
  }

  const Device& device_;
  Problem problem_;
  RowRanges ranges_;
  std::map<Role, GuardedImage> images_;  ///< before the call
  std::map<Role, GuardedImage> after_;
  std::map<Role, DeviceImage> images_on_device_;
  std::map<Role, Role> shared_;  ///< outputs that have the memory of an input
  Operands operands_;
};

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
  SegmentCall call(device, problem,
                   {.rows = places.lengths.size(),
                    .begins = shared_numbers(places.begins),
                    .lengths = shared_numbers(places.lengths)},
                   distribution, seed, in_place);
  std::vector<std::uint64_t> offsets = places.begins;
  if (places.with_ends) {
    std::vector<std::uint64_t> ends = places.begins;
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += places.lengths[i];
    call.add_numbers(Role::ends, ends, places.number_bytes);
  } else {
    offsets.push_back(places.begins.empty() ? 0 : places.begins.back() + places.lengths.back());
  }
  call.add_numbers(Role::offsets, offsets, places.number_bytes);
  run(call.operands());
  device.synchronize(nullptr);
  const std::string what =
      fmt::format("{} on {} keys (seed {}{}{}, {} bytes an offset)", text_of(problem), name_of(distribution),
                  seed, in_place ? ", in place" : "", places.with_ends ? ", gaps" : "", places.number_bytes);
  if (const auto stray = call.stray()) return ::testing::AssertionFailure() << what << ": " << *stray;
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
    SegmentCall call(*bench.device, problem, {.rows = 1, .row_length = keys, .row_stride = keys},
                     Distribution::random, segments, true);
    call.add_numbers(Role::offsets, offsets, number_bytes);
    if (!ends.empty()) call.add_numbers(Role::ends, ends, number_bytes);
    run(call.operands());
    bench.device->synchronize(nullptr);
    if (const auto stray = call.stray())
      return ::testing::AssertionFailure() << text_of(problem) << ": " << *stray;
    return ::testing::AssertionSuccess();
  });
}

}  // namespace bitune::test
