#include "bench/interleaved_sampler.hpp"

#include <algorithm>
#include <utility>

#include "bench/any_order.hpp"
#include "measure/inputs.hpp"

namespace bitune {
namespace {

constexpr double most_time_us = 500000;   // of one side, after which it is sampled no more ...
constexpr std::size_t least_samples = 3;  // ... unless it has fewer than these
constexpr double turn_us = 50000;         // of one side, as far as a sample is shorter
constexpr std::size_t most_in_turn = 5;
constexpr std::uint64_t value_seed = 1;

}  // namespace

InterleavedSampler::InterleavedSampler(const Device& device, KernelStore& kernels, const Problem& problem,
                                       CallLayout layout, std::span<const BenchInput> inputs)
    : device_(device),
      problem_(problem),
      layout_(std::move(layout)),
      stream_(device.create_stream()),
      work_(device.allocate(layout_.bytes())),
      out_(device.allocate(layout_.bytes())),
      sampler_(device, kernels) {
  std::vector<std::byte> image(layout_.input_bytes(), std::byte{GuardedLayout::guard_value});
  for (const CallLayout::Part& part : layout_.parts()) {
    if (part.array.in == Role::values_in) fill_values(CallLayout::rows(image, part), value_seed);
  }
  for (const BenchInput& input : inputs) {
    for (const CallLayout::Part& part : layout_.parts()) {
      if (part.array.in == Role::keys_in)
        std::copy(input.keys.begin(), input.keys.end(), CallLayout::rows(image, part).begin());
      if (part.array.in == Role::offsets) CallLayout::write_bounds(image, part, input.segments);
    }
    pristine_.push_back(device.allocate(image.size()));
    device_.copy_to_device(pristine_.back()->data(), image.data(), image.size(), stream_->handle());
    device_.synchronize(stream_->handle());  // the next keys take the place of these
  }
}

bool InterleavedSampler::verify(const Contestant& contestant) {
  const Stream stream = stream_->handle();
  device_.fill(work_->data(), GuardedLayout::guard_value, layout_.bytes(), stream);
  device_.fill(out_->data(), GuardedLayout::guard_value, layout_.bytes(), stream);
  device_.copy_on_device(work_->data(), pristine_.front()->data(), layout_.input_bytes(), stream);
  const CallMemory memory{.input = work_->data(),
                          .written = static_cast<std::byte*>(work_->data()) + layout_.input_bytes(),
                          .copies = out_->data()};
  const Operands operands = sampled_call().operands(contestant.in_place, memory);
  if (contestant.bind) contestant.bind(operands);
  contestant.sort(operands, stream);

  std::vector<std::byte> result(layout_.bytes(), std::byte{GuardedLayout::guard_value});
  for (const CallLayout::Part& part : layout_.parts()) {
    const bool is_copy = part.array.in && part.array.out && !contestant.in_place;
    const auto* const image = static_cast<const std::byte*>((is_copy ? out_ : work_)->data());
    device_.copy_to_host(result.data() + part.begin, image + part.begin, part.layout.bytes(), stream);
  }
  device_.synchronize(stream);
  if (result == right_) return true;
  std::vector<std::byte> input(layout_.input_bytes());
  device_.copy_to_host(input.data(), pristine_.front()->data(), input.size(), stream);
  device_.synchronize(stream);
  if (contestant.any_order && !right_.empty())
    return has_first_keys_in_any_order(problem_, layout_, input, right_, result);
  if (find_fault_of_call(problem_, layout_, input, result)) return false;
  right_ = std::move(result);
  return true;
}

SampledCall InterleavedSampler::sampled_call() const {
  std::vector<const void*> images;
  for (const auto& input : pristine_) images.push_back(input->data());
  return SampledCall::of(layout_, std::move(images), work_->data());
}

InterleavedSamples InterleavedSampler::run(std::span<const Contestant> contestants, int samples) {
  const SampledCall call = sampled_call();
  std::vector<Sampler::Setup> setups;
  InterleavedSamples result;
  for (const Contestant& contestant : contestants) {
    setups.push_back(sampler_.prepare(contestant, call, false, stream_->handle()));
    result.batches.push_back(static_cast<int>(setups.back().group));
  }
  result.samples_us.resize(contestants.size());
  std::vector<double> spent_us(contestants.size());
  ClockSummary clock;
  for (bool unfinished = true; unfinished;) {
    unfinished = false;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      std::vector<double>& taken = result.samples_us[i];
      const std::size_t left = static_cast<std::size_t>(samples) - taken.size();
      if (left == 0 || (spent_us[i] > most_time_us && taken.size() >= least_samples)) continue;
      // How long a sample is shows in those that were taken: the first turn is one of them.
      const double sample_us = taken.empty() ? turn_us : spent_us[i] / static_cast<double>(taken.size());
      const auto in_turn = static_cast<std::size_t>(
          std::clamp(turn_us / std::max(sample_us, 1.0), 1.0, static_cast<double>(most_in_turn)));
      const std::size_t before = taken.size();
      sampler_.take(setups[i], std::min(in_turn, left), taken, clock);
      for (std::size_t j = before; j < taken.size(); ++j) spent_us[i] += taken[j] * setups[i].group;
      unfinished = true;
    }
  }
  return result;
}

}  // namespace bitune
