#include "measure/problem_data.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <future>
#include <utility>

#include "bitune/error.hpp"
#include "measure/reference_sort.hpp"
#include "measure/sampler.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint64_t many_keys = std::uint64_t{1} << 23;
constexpr std::uint64_t threads_pay_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t host_memory_bytes = std::uint64_t{6}
                                            << 30;  // an image, its twin, and the sort's own copy

/// An image and its sorted twin, on the host.
struct HostImages {
  std::vector<std::byte> input;
  std::vector<std::byte> expected;
};

HostImages make_images(const Problem& problem, const GuardedLayout& layout, Distribution distribution,
                       std::uint64_t seed, bool with_expected) {
  HostImages images;
  images.input.assign(layout.bytes(), std::byte{GuardedLayout::guard_value});
  const std::span keys = std::span(images.input).subspan(GuardedLayout::guard_bytes, layout.array_bytes());
  fill_keys(keys, problem.key, distribution, seed);
  if (!with_expected) return images;
  images.expected = images.input;
  reference_sort_rows(std::span(images.expected).subspan(GuardedLayout::guard_bytes, layout.array_bytes()),
                      problem);
  return images;
}

/// The same rows with gaps between them.
std::vector<std::byte> spread(const std::vector<std::byte>& image, const GuardedLayout& layout,
                              const GuardedLayout& gapped) {
  const GuardedImage result(gapped,
                            std::span(image).subspan(GuardedLayout::guard_bytes, layout.array_bytes()));
  return {result.bytes().begin(), result.bytes().end()};
}

/// An odd stride leaves no row but the first aligned to more than a key.
GuardedLayout gapped_layout_of(const Problem& problem) {
  return {problem, problem.rows > 1 ? problem.n + 1 + problem.n % 2 : problem.n};
}

/// Bytes of device memory for all images.
std::uint64_t memory_for_images(std::int64_t memory_bytes) {
  return memory_bytes > 0 ? static_cast<std::uint64_t>(memory_bytes) / 2 : ~std::uint64_t{0};
}

/// Besides the images that each distribution has: input and expected result with gaps, and two to work in.
std::uint64_t gapped_memory(const Problem& problem) { return 4 * gapped_layout_of(problem).bytes(); }

/// Whether there is room for rows with gaps besides one distribution.
bool can_have_gaps(const Problem& problem, std::int64_t memory_bytes) {
  return problem.rows > 1 && gapped_memory(problem) <= memory_for_images(memory_bytes) &&
         2 * GuardedLayout(problem).bytes() <= memory_for_images(memory_bytes) - gapped_memory(problem);
}

std::unique_ptr<DeviceBuffer> upload(const Device& device, const std::vector<std::byte>& bytes,
                                     Stream stream) {
  auto buffer = device.allocate(bytes.size());
  device.copy_to_device(buffer->data(), bytes.data(), bytes.size(), stream);
  device.synchronize(stream);  // the host's bytes go away
  return buffer;
}

}  // namespace

std::vector<Distribution> verified_distributions(const Problem& problem, std::int64_t memory_bytes) {
  std::vector<Distribution> distributions(all_distributions.begin(), all_distributions.end());
  if (problem.n * problem.rows >= many_keys) {
    distributions = {Distribution::random, Distribution::few_distinct, Distribution::reversed,
                     Distribution::special};
  }
  const std::uint64_t image = GuardedLayout(problem).bytes();
  // Two images a distribution, besides those to work in.
  const std::uint64_t besides = can_have_gaps(problem, memory_bytes) ? gapped_memory(problem) : image;
  const std::uint64_t allowed = memory_for_images(memory_bytes);
  const std::uint64_t affordable =
      allowed < besides ? 1 : std::max<std::uint64_t>(1, (allowed - besides) / image / 2);
  if (affordable < distributions.size()) distributions.resize(affordable);
  return distributions;
}

ProblemData::ProblemData(const Device& device, const Problem& problem, Distribution measured,
                         std::uint64_t seed, int inputs, Stream stream)
    : problem_(problem),
      measured_(measured),
      seed_(seed),
      inputs_(inputs),
      layout_(problem),
      gapped_layout_(gapped_layout_of(problem)),
      verified_(verified_distributions(problem, device.info().memory_bytes)) {
  if (!sorts_keys_alone(problem)) {
    throw Error(ErrorCode::usage,
                "problem '" + text_of(problem) + "' cannot be verified: only sorts of keys alone can");
  }
  std::vector<Distribution> wanted = verified_;
  if (std::find(wanted.begin(), wanted.end(), measured) == wanted.end()) wanted.push_back(measured);

  // Large references take the host seconds each: several are made at once, as far as its memory may be taken.
  const auto start = [&](Distribution distribution) {
    const bool verify = std::find(verified_.begin(), verified_.end(), distribution) != verified_.end();
    const auto policy =
        layout_.array_bytes() < threads_pay_bytes ? std::launch::deferred : std::launch::async;
    return std::async(policy, make_images, problem_, layout_, distribution, seed_, verify);
  };
  const std::size_t at_once = std::max<std::uint64_t>(1, host_memory_bytes / (3 * layout_.bytes()));
  std::deque<std::future<HostImages>> under_way;
  std::size_t started = 0;
  for (const Distribution distribution : wanted) {
    while (started < wanted.size() && under_way.size() < at_once)
      under_way.push_back(start(wanted[started++]));
    const HostImages host = under_way.front().get();
    under_way.pop_front();
    Images& images = images_[distribution];
    images.input = upload(device, host.input, stream);
    if (host.expected.empty()) continue;
    images.expected = upload(device, host.expected, stream);
    if (distribution != Distribution::random || !can_have_gaps(problem, device.info().memory_bytes)) continue;
    gapped_.input = upload(device, spread(host.input, layout_, gapped_layout_), stream);
    gapped_.expected = upload(device, spread(host.expected, layout_, gapped_layout_), stream);
  }
  const int in_turn = images_in_turn(device, layout_.bytes(), inputs);
  for (int i = 1; i < in_turn; ++i) {
    const std::uint64_t other_seed = seed + static_cast<std::uint64_t>(i);
    other_inputs_.push_back(
        upload(device, make_images(problem, layout_, measured, other_seed, false).input, stream));
  }
  work_ = device.allocate((has_gapped() ? gapped_layout_ : layout_).bytes() + layout_.element_bytes);
}

bool ProblemData::is_for(const Problem& problem, Distribution measured, std::uint64_t seed,
                         int inputs) const noexcept {
  return problem == problem_ && measured == measured_ && seed == seed_ && inputs == inputs_;
}

const void* ProblemData::input(Distribution distribution) const {
  return images_.at(distribution).input->data();
}

std::vector<const void*> ProblemData::measured_inputs(Distribution distribution) const {
  std::vector<const void*> inputs = {input(distribution)};
  if (distribution == measured_) {
    for (const auto& other : other_inputs_) inputs.push_back(other->data());
  }
  return inputs;
}

const void* ProblemData::expected(Distribution distribution) const {
  return images_.at(distribution).expected->data();
}

std::byte* ProblemData::work() const noexcept { return static_cast<std::byte*>(work_->data()); }

}  // namespace bitune
