#include "bench/turns.hpp"

#include <algorithm>

#include "measure/oracle.hpp"
#include "model/problem_operands.hpp"

namespace bitune {
namespace {

constexpr double most_time_us = 500000;   // of one side, after which it is sampled no more ...
constexpr std::size_t least_samples = 3;  // ... unless it has fewer than these
constexpr double turn_us = 50000;         // of one side, as far as a sample is shorter
constexpr std::size_t most_in_turn = 5;

}  // namespace

Turns::Turns(const Device& device, KernelStore& kernels, const Problem& problem,
             std::span<const std::vector<std::byte>> inputs)
    : device_(device),
      problem_(problem),
      bytes_(inputs.front().size()),
      stream_(device.create_stream()),
      work_(device.allocate(bytes_)),
      out_(device.allocate(bytes_)),
      sampler_(device, kernels) {
  for (const std::vector<std::byte>& input : inputs) {
    pristine_.push_back(device.allocate(bytes_));
    device_.copy_to_device(pristine_.back()->data(), input.data(), bytes_, stream_->handle());
  }
  device_.synchronize(stream_->handle());
}

bool Turns::verify(const Contestant& contestant) {
  const Stream stream = stream_->handle();
  std::vector<std::byte> input(bytes_);
  std::vector<std::byte> result(bytes_);
  device_.copy_on_device(work_->data(), pristine_.front()->data(), bytes_, stream);
  device_.fill(out_->data(), 0xA5, bytes_, stream);
  void* const sorted = (contestant.in_place ? work_ : out_)->data();
  contestant.sort(packed_operands(problem_, sorted, work_->data()), stream);
  device_.copy_to_host(result.data(), sorted, bytes_, stream);
  device_.copy_to_host(input.data(), pristine_.front()->data(), bytes_, stream);
  device_.synchronize(stream);
  return !find_fault_of_keys(problem_, input, result);
}

TurnsResult Turns::run(std::span<const Contestant> contestants, int samples) {
  SampledKeys keys{.keys = packed_operands(problem_, nullptr)[Role::keys_out],
                   .images = {},
                   .bytes = bytes_,
                   .offset = 0,
                   .work = work_->data()};
  for (const auto& input : pristine_) keys.images.push_back(input->data());
  std::vector<Sampler::Setup> setups;
  TurnsResult result;
  for (const Contestant& contestant : contestants) {
    setups.push_back(sampler_.prepare(contestant, keys, false, stream_->handle()));
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
