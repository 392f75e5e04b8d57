#include "measure/measure.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "model/statistics.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t first_samples = 3;  // after which a slow configuration is abandoned
constexpr int most_remeasurements = 2;
constexpr auto rest = std::chrono::milliseconds(50);  // of a device whose clock fell

bool is_precise(const std::vector<double>& samples_us, const Protocol& protocol) {
  return protocol.precision > 0 && median_interval(samples_us).relative_half_width() <= protocol.precision;
}

}  // namespace

Measurement Measurer::measure(const ExecutablePlan& plan, const ProblemData& data, Distribution distribution,
                              const Protocol& protocol, double abandon_above_us, void* workspace,
                              Stream stream) {
  const auto begin = Clock::now();
  const Contestant contestant{.name = {},
                              .in_place = true,
                              .sort =
                                  [&](Operands operands, Stream on) {
                                    operands[Role::workspace] = {workspace, plan.plan().workspace_bytes, 0};
                                    plan.run(operands, on);
                                  },
                              .launches = plan.plan().launches.size()};
  const SampledCall call = SampledCall::of(data.layout(), data.measured_inputs(distribution), data.work());
  Sampler::Setup setup = sampler_.prepare(contestant, call, protocol.cold_l2, stream);

  Measurement result;
  take_samples(setup, protocol, abandon_above_us, result);
  while (watch_.is_disturbed(result.clock) && result.remeasured < most_remeasurements) {
    std::this_thread::sleep_for(rest);
    Measurement again;
    again.remeasured = result.remeasured + 1;
    take_samples(setup, protocol, abandon_above_us, again);
    result = std::move(again);
  }
  watch_.settle(result.clock);
  result.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return result;
}

void Measurer::take_samples(Sampler::Setup& setup, const Protocol& protocol, double abandon_above_us,
                            Measurement& result) {
  auto least = static_cast<std::size_t>(std::max(protocol.min_samples, 1));
  auto most = std::max(least, static_cast<std::size_t>(std::max(protocol.max_samples, 1)));
  if (is_emulated(device_)) most = least = std::min(least, first_samples);

  std::vector<double>& samples = result.samples_us;
  double spent_us = 0;
  while (samples.size() < most) {
    std::size_t count = 0;
    if (samples.empty() && abandon_above_us > 0) {
      count = std::min(least, first_samples);
    } else if (samples.size() < least) {
      count = least - samples.size();
    } else {
      if (is_precise(samples, protocol)) break;
      const double left_us = protocol.sample_budget_ms * 1000 - spent_us;
      const double sample_us = std::max(spent_us / static_cast<double>(samples.size()), 0.1);
      if (left_us < sample_us) break;
      count = std::min(static_cast<std::size_t>(std::min(left_us / sample_us, 1e6)), most - samples.size());
      count = std::min(count, Sampler::most_queued_samples);  // then it is looked at again
    }
    const std::size_t before = samples.size();
    sampler_.take(setup, count, samples, result.clock);
    for (std::size_t i = before; i < samples.size(); ++i) spent_us += samples[i] * setup.group;
    if (before == 0 && abandon_above_us > 0 && samples.size() < least &&
        *std::min_element(samples.begin(), samples.end()) > abandon_above_us) {
      result.abandoned = true;
      break;
    }
  }
}

}  // namespace bitune
