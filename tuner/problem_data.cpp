#include "tuner/problem_data.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <utility>

#include "bitune/error.hpp"
#include "model/key_order.hpp"
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

HostImages make_images(const Problem& problem, const ImageLayout& layout, Distribution distribution,
                       std::uint64_t seed, bool with_expected) {
  HostImages images;
  images.input.assign(layout.bytes(), std::byte{ImageLayout::guard_value});
  const std::span keys = std::span(images.input).subspan(ImageLayout::guard_bytes, layout.key_bytes);
  fill_keys(keys, problem.key, distribution, seed);
  if (!with_expected) return images;
  images.expected = images.input;
  std::byte* row = images.expected.data() + ImageLayout::guard_bytes;
  for (std::uint64_t i = 0; i < problem.rows; ++i, row += problem.n * layout.key_size) {
    reference_sort(row, problem.n, problem.key, problem.order);
  }
  return images;
}

std::unique_ptr<DeviceBuffer> upload(const Device& device, const std::vector<std::byte>& bytes,
                                     StreamHandle stream) {
  auto buffer = device.allocate(bytes.size());
  device.copy_to_device(buffer->data(), bytes.data(), bytes.size(), stream);
  device.synchronize(stream);  // the host's bytes go away
  return buffer;
}

}  // namespace

ImageLayout::ImageLayout(const Problem& problem)
    : key_size(size_of(problem.key)), key_bytes(bitune::key_bytes(problem)) {
  static_assert(guard_bytes % 8 == 0, "guards are whole words of every key size");
}

std::vector<Distribution> verified_distributions(const Problem& problem, std::int64_t memory_bytes) {
  std::vector<Distribution> distributions(all_distributions.begin(), all_distributions.end());
  if (problem.n * problem.rows >= many_keys) {
    distributions = {Distribution::random, Distribution::few_distinct, Distribution::reversed,
                     Distribution::special};
  }
  const std::uint64_t image = ImageLayout(problem).bytes();
  const std::uint64_t allowed =
      memory_bytes > 0 ? static_cast<std::uint64_t>(memory_bytes) / 2 : ~std::uint64_t{0};
  // Two images a distribution, and one to work in.
  const std::uint64_t affordable = allowed / image < 3 ? 1 : (allowed / image - 1) / 2;
  if (affordable < distributions.size()) distributions.resize(affordable);
  return distributions;
}

ProblemData::ProblemData(const Device& device, const Problem& problem, Distribution measured,
                         std::uint64_t seed, StreamHandle stream)
    : problem_(problem),
      measured_(measured),
      seed_(seed),
      layout_(problem),
      verified_(verified_distributions(problem, device.info().memory_bytes)) {
  if (problem.operation != Operation::sort || problem.value != ValueType::none) {
    throw Error(ErrorCode::usage,
                "problem '" + text_of(problem) + "' cannot be verified: only sorts of keys alone can");
  }
  std::vector<Distribution> wanted = verified_;
  if (std::find(wanted.begin(), wanted.end(), measured) == wanted.end()) wanted.push_back(measured);

  // Large references take the host seconds each: several are made at once, as far as its memory may be taken.
  const auto start = [&](Distribution distribution) {
    const bool verify = std::find(verified_.begin(), verified_.end(), distribution) != verified_.end();
    const auto policy = layout_.key_bytes < threads_pay_bytes ? std::launch::deferred : std::launch::async;
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
    if (!host.expected.empty()) images.expected = upload(device, host.expected, stream);
  }
  work_ = device.allocate(layout_.bytes() + layout_.key_size);
}

bool ProblemData::is_for(const Problem& problem, Distribution measured, std::uint64_t seed) const noexcept {
  return problem == problem_ && measured == measured_ && seed == seed_;
}

const void* ProblemData::input(Distribution distribution) const {
  return images_.at(distribution).input->data();
}

const void* ProblemData::expected(Distribution distribution) const {
  return images_.at(distribution).expected->data();
}

std::byte* ProblemData::work() const noexcept { return static_cast<std::byte*>(work_->data()); }

}  // namespace bitune
