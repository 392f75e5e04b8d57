#include "measure/problem_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <utility>

#include "bitune/error.hpp"
#include "bitune/log.hpp"
#include "measure/image_maker.hpp"
#include "measure/reference_call.hpp"
#include "measure/sampler.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t many_keys = std::uint64_t{1} << 23;
constexpr std::uint64_t threads_pay_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t host_memory_bytes = std::uint64_t{6} << 30;  // for what is made at once

/// Where the segments of a problem of segments lie; empty of others.
Segments segments_for(const Problem& problem, const MeasuredInput& measured, std::uint64_t seed) {
  return problem.ragged ? packed_segments(make_lengths(problem, measured.lengths, seed)) : Segments{};
}

/// Images of an input and of what it must become, on the host.
struct HostImages {
  std::vector<std::byte> input;
  std::vector<std::byte> expected;
};

struct HostData {
  HostImages packed;
  HostImages gapped;  ///< where they are wanted
};

/// segments: null of arrays and rows.
std::vector<std::byte> make_input(const Problem& problem, const CallLayout& layout, const Segments* segments,
                                  Distribution distribution, std::uint64_t seed) {
  std::vector<std::byte> image(layout.input_bytes(), std::byte{GuardedLayout::guard_value});
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.in == Role::keys_in)
      fill_keys(CallLayout::rows(image, part), problem.key, distribution, seed);
    if (part.array.in == Role::values_in) fill_values(CallLayout::rows(image, part), seed);
    if (segments == nullptr || !part.array.in) continue;
    if (part.array.in == Role::offsets || part.array.in == Role::ends) {
      CallLayout::write_bounds(image, part, *segments);
    } else {
      guard_gaps(std::span(image).subspan(part.begin), part.layout);
    }
  }
  return image;
}

std::vector<std::byte> make_expected(const Problem& problem, const CallLayout& layout,
                                     std::vector<std::byte>& input) {
  std::vector<std::byte> image(layout.bytes(), std::byte{GuardedLayout::guard_value});
  Operands operands;
  for (const CallLayout::Part& part : layout.parts()) {
    if (part.array.in) operands[*part.array.in] = CallLayout::operand(part, input.data());
    if (part.array.out) {
      operands[*part.array.out] = CallLayout::operand(part, image.data());
    } else {
      const auto from = std::span(input).subspan(part.begin, part.layout.bytes());
      std::copy(from.begin(), from.end(), image.begin() + static_cast<std::ptrdiff_t>(part.begin));
    }
  }
  reference_call(problem, operands);
  return image;
}

/// The same rows with gaps between them.
std::vector<std::byte> spread(std::vector<std::byte>& image, const CallLayout& layout,
                              const CallLayout& gapped) {
  const bool is_input = image.size() != layout.bytes();
  std::vector<std::byte> result(is_input ? gapped.input_bytes() : gapped.bytes(),
                                std::byte{GuardedLayout::guard_value});
  for (std::size_t i = 0; i < layout.parts().size(); ++i) {
    if (is_input && !layout.parts()[i].array.in) continue;
    const CallLayout::Part& to = gapped.parts()[i];
    place_rows(std::span(result).subspan(to.begin), to.layout, CallLayout::rows(image, layout.parts()[i]));
  }
  return result;
}

HostData make_images(const Problem& problem, const CallLayouts& layouts, bool with_gaps,
                     Distribution distribution, std::uint64_t seed, bool with_expected) {
  HostData data;
  const bool is_ragged = problem.ragged;
  data.packed.input =
      make_input(problem, layouts.packed, is_ragged ? &layouts.segments : nullptr, distribution, seed);
  if (!with_expected) return data;
  data.packed.expected = make_expected(problem, layouts.packed, data.packed.input);
  if (!with_gaps) return data;
  if (is_ragged) {
    data.gapped.input = make_input(problem, layouts.gapped, &layouts.segments_with_gaps, distribution, seed);
    data.gapped.expected = make_expected(problem, layouts.gapped, data.gapped.input);
  } else {
    data.gapped = {spread(data.packed.input, layouts.packed, layouts.gapped),
                   spread(data.packed.expected, layouts.packed, layouts.gapped)};
  }
  return data;
}

/// Of the host, while the images of one distribution are made: both, and what the reference takes. That is
/// another copy of the keys, or two places and two indices for each key where something travels with it.
std::uint64_t host_memory_for(const Problem& problem, const CallLayout& layout) {
  const std::uint64_t images = layout.input_bytes() + layout.bytes();
  return images +
         (sorts_keys_alone(problem) ? layout.bytes() : 2 * key_count(problem) * (size_of(problem.key) + 8));
}

/// Bytes of device memory for all images.
std::uint64_t memory_for_images(std::int64_t memory_bytes) {
  return memory_bytes > 0 ? static_cast<std::uint64_t>(memory_bytes) / 2 : ~std::uint64_t{0};
}

/// Bytes of an input and of its expected result.
std::uint64_t memory_for_both(const CallLayout& layout) { return layout.input_bytes() + layout.bytes(); }

/// Besides the images that each distribution has: input and expected result with gaps, and as much to work
/// in.
std::uint64_t gapped_memory(const CallLayouts& layouts) { return 2 * memory_for_both(layouts.gapped); }

/// Whether there is room for rows with gaps besides one distribution.
bool can_have_gaps(const Problem& problem, const CallLayouts& layouts, std::int64_t memory_bytes) {
  return problem.rows > 1 && gapped_memory(layouts) <= memory_for_images(memory_bytes) &&
         memory_for_both(layouts.packed) <= memory_for_images(memory_bytes) - gapped_memory(layouts);
}

std::unique_ptr<DeviceBuffer> upload(const Device& device, const std::vector<std::byte>& bytes,
                                     Stream stream) {
  auto buffer = device.allocate(bytes.size());
  device.copy_to_device(buffer->data(), bytes.data(), bytes.size(), stream);
  device.synchronize(stream);  // the host's bytes go away
  return buffer;
}

}  // namespace

CallLayouts CallLayouts::of(const Problem& problem, const Segments& segments) {
  if (!problem.ragged) return {CallLayout(problem), CallLayout(problem, RowGaps::odd), {}, {}};
  Segments with_gaps = bitune::segments_with_gaps(segments);
  return {CallLayout(problem, segments), CallLayout(problem, with_gaps), segments, std::move(with_gaps)};
}

std::vector<Distribution> verified_distributions(const Problem& problem, const CallLayouts& layouts,
                                                 std::int64_t memory_bytes) {
  std::vector<Distribution> distributions(all_distributions.begin(), all_distributions.end());
  if (key_count(problem) >= many_keys) {
    distributions = {Distribution::random, Distribution::few_distinct, Distribution::reversed,
                     Distribution::special};
  }
  const std::uint64_t besides =
      can_have_gaps(problem, layouts, memory_bytes) ? gapped_memory(layouts) : layouts.packed.bytes();
  const std::uint64_t allowed = memory_for_images(memory_bytes);
  const std::uint64_t affordable =
      allowed < besides ? 1
                        : std::max<std::uint64_t>(1, (allowed - besides) / memory_for_both(layouts.packed));
  if (affordable < distributions.size()) distributions.resize(affordable);
  return distributions;
}

ProblemData::ProblemData(const Device& device, const Problem& problem, const MeasuredInput& measured,
                         Stream stream, KernelStore* kernels)
    : problem_(problem),
      measured_(measured),
      layouts_(CallLayouts::of(problem, segments_for(problem, measured, measured.seed))),
      verified_(verified_distributions(problem, layouts_, device.info().memory_bytes)) {
  const bool with_gaps = can_have_gaps(problem, layouts_, device.info().memory_bytes);
  if (kernels == nullptr || !ImageMaker::can_make(problem) ||
      !make_on_device(device, *kernels, with_gaps, stream)) {
    make_on_host(device, with_gaps, stream);
  }
  work_ = device.allocate((has_gapped() ? gapped_layout() : layout()).bytes());
}

bool ProblemData::is_verified(Distribution distribution) const {
  return std::find(verified_.begin(), verified_.end(), distribution) != verified_.end();
}

std::vector<Distribution> ProblemData::wanted() const {
  std::vector<Distribution> distributions = verified_;
  if (!is_verified(measured_.distribution)) distributions.push_back(measured_.distribution);
  return distributions;
}

bool ProblemData::make_on_device(const Device& device, KernelStore& kernels, bool with_gaps, Stream stream) {
  try {
    ImageMaker maker(device, kernels, problem_, layout(), stream);
    for (const Distribution distribution : wanted()) {
      Images& images = images_[distribution];
      images.input = maker.make_input(distribution, measured_.seed);
      if (!is_verified(distribution)) continue;
      images.expected = maker.make_expected(*images.input);
      if (!with_gaps || distribution != Distribution::random) continue;
      gapped_.input = maker.spread(*images.input, gapped_layout());
      gapped_.expected = maker.spread(*images.expected, gapped_layout());
    }
    const int in_turn = images_in_turn(device, layout().input_bytes(), measured_.inputs);
    for (int i = 1; i < in_turn; ++i) {
      other_inputs_.push_back(
          maker.make_input(measured_.distribution, measured_.seed + static_cast<std::uint64_t>(i)));
    }
    device.synchronize(stream);  // the maker's memory goes away
    return true;
  } catch (const Error& error) {
    log_sentence(fmt::format("the host makes what '{}' is verified on, since the device cannot: {}",
                             text_of(problem_), error.what()));
    images_.clear();
    other_inputs_.clear();
    gapped_ = {};
    return false;
  }
}

void ProblemData::make_on_host(const Device& device, bool with_gaps, Stream stream) {
  // Large references take the host seconds each: several are made at once, as far as its memory may be taken.
  const auto start = [&](Distribution distribution) {
    const bool gaps = with_gaps && distribution == Distribution::random;
    const auto policy = layout().bytes() < threads_pay_bytes ? std::launch::deferred : std::launch::async;
    return std::async(policy, make_images, problem_, std::cref(layouts_), gaps, distribution, measured_.seed,
                      is_verified(distribution));
  };
  const std::size_t at_once =
      std::max<std::uint64_t>(1, host_memory_bytes / host_memory_for(problem_, layout()));
  const std::vector<Distribution> distributions = wanted();
  std::deque<std::future<HostData>> under_way;
  std::size_t started = 0;
  for (const Distribution distribution : distributions) {
    while (started < distributions.size() && under_way.size() < at_once)
      under_way.push_back(start(distributions[started++]));
    const HostData host = under_way.front().get();
    under_way.pop_front();
    Images& images = images_[distribution];
    images.input = upload(device, host.packed.input, stream);
    if (!host.packed.expected.empty()) images.expected = upload(device, host.packed.expected, stream);
    if (host.gapped.input.empty()) continue;
    gapped_.input = upload(device, host.gapped.input, stream);
    gapped_.expected = upload(device, host.gapped.expected, stream);
  }
  const int in_turn = images_in_turn(device, layout().input_bytes(), measured_.inputs);
  for (int i = 1; i < in_turn; ++i) {
    const std::uint64_t seed = measured_.seed + static_cast<std::uint64_t>(i);
    // Other keys, and segments of other lengths.
    const CallLayouts others = CallLayouts::of(problem_, segments_for(problem_, measured_, seed));
    other_inputs_.push_back(
        upload(device,
               make_input(problem_, others.packed, problem_.ragged ? &others.segments : nullptr,
                          measured_.distribution, seed),
               stream));
  }
}

bool ProblemData::is_for(const Problem& problem, const MeasuredInput& measured) const noexcept {
  return problem == problem_ && measured == measured_;
}

const void* ProblemData::input(Distribution distribution) const {
  return images_.at(distribution).input->data();
}

std::vector<const void*> ProblemData::measured_inputs(Distribution distribution) const {
  std::vector<const void*> inputs = {input(distribution)};
  if (distribution == measured_.distribution) {
    for (const auto& other : other_inputs_) inputs.push_back(other->data());
  }
  return inputs;
}

const void* ProblemData::expected(Distribution distribution) const {
  return images_.at(distribution).expected->data();
}

std::byte* ProblemData::work() const noexcept { return static_cast<std::byte*>(work_->data()); }

}  // namespace bitune
