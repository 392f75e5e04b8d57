#include "tuner/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double group_us = 200;          // a sample at least, as far as `max_group` and memory allow
constexpr std::uint32_t max_group = 16;   // sorts a sample
constexpr std::size_t max_queued = 512;   // launches between two events: below what a stream's queue holds
constexpr std::size_t max_batch = 32;     // samples between two synchronisations
constexpr std::size_t first_samples = 3;  // after which a slow configuration is abandoned
constexpr double long_launch_us = 20;     // launches of this length are queued faster than they run
constexpr double max_hold_us = 5000;
constexpr std::uint64_t alignment = 256;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

bool is_emulated(const Device& device) { return device.info().kind == "emulated"; }

std::uint64_t stride_of(const ImageLayout& layout) {
  return (layout.bytes() + alignment - 1) / alignment * alignment;
}

}  // namespace

Measurement Measurer::measure(const ExecutablePlan& plan, const ProblemData& data, Distribution distribution,
                              const Protocol& protocol, double abandon_above_us, void* workspace,
                              StreamHandle stream) {
  const auto begin = Clock::now();
  Measurement result;
  Run run{.plan = plan,
          .data = data,
          .input = data.input(distribution),
          .workspace = workspace,
          .stream = stream,
          .cold_l2 = protocol.cold_l2};
  auto least = static_cast<std::size_t>(std::max(protocol.min_samples, 1));
  auto most = std::max(least, static_cast<std::size_t>(std::max(protocol.max_samples, 1)));
  if (is_emulated(device_)) {
    most = least = std::min(least, first_samples);
  } else {
    tune_run(run);
  }

  std::vector<double>& samples = result.samples_us;
  double spent_us = 0;
  while (samples.size() < most) {
    std::size_t count = 0;
    if (samples.empty() && abandon_above_us > 0) {
      count = std::min(least, first_samples);
    } else if (samples.size() < least) {
      count = least - samples.size();
    } else {
      const double left_us = protocol.sample_budget_ms * 1000 - spent_us;
      const double sample_us = std::max(spent_us / static_cast<double>(samples.size()), 0.1);
      if (left_us < sample_us) break;
      count = std::min(static_cast<std::size_t>(std::min(left_us / sample_us, 1e6)), most - samples.size());
    }
    const std::size_t before = samples.size();
    take_batch(run, std::min(count, max_batch), samples);
    for (std::size_t i = before; i < samples.size(); ++i) spent_us += samples[i] * run.group;
    if (before == 0 && abandon_above_us > 0 && samples.size() < least &&
        *std::min_element(samples.begin(), samples.end()) > abandon_above_us) {
      result.abandoned = true;
      break;
    }
  }
  result.wall_ms = us_since(begin) / 1000;
  return result;
}

void* Measurer::buffer(const Run& run, std::uint32_t index) const {
  if (run.group == 1) return run.data.work();
  return static_cast<std::byte*>(group_buffers_->data()) + index * stride_of(run.data.layout());
}

void Measurer::restore(const Run& run) const {
  for (std::uint32_t i = 0; i < run.group; ++i) {
    device_.copy_on_device(buffer(run, i), run.input, run.data.layout().bytes(), run.stream);
  }
}

double Measurer::queue_sample(const Run& run, std::size_t index) {
  while (events_.size() <= index) events_.push_back({device_.create_event(), device_.create_event()});
  if (run.hold_steps != 0) hold(run.hold_steps, run.stream);
  restore(run);
  if (run.cold_l2) {
    if (!flush_buffer_) {
      const std::int64_t l2 = device_.info().l2_bytes;
      flush_buffer_ = device_.allocate(2 * static_cast<std::size_t>(l2 > 0 ? l2 : std::int64_t{32} << 20));
    }
    device_.fill(flush_buffer_->data(), 0, flush_buffer_->size(), run.stream);
  }
  const auto begin = Clock::now();
  device_.record(*events_[index].begin, run.stream);
  for (std::uint32_t i = 0; i < run.group; ++i) {
    run.plan.run({.keys = static_cast<std::byte*>(buffer(run, i)) + ImageLayout::guard_bytes,
                  .workspace = run.workspace,
                  .row_stride = run.data.layout().row_stride},
                 run.stream);
  }
  device_.record(*events_[index].end, run.stream);
  return us_since(begin);
}

void Measurer::take_batch(const Run& run, std::size_t count, std::vector<double>& samples_us) {
  for (std::size_t i = 0; i < count; ++i) queue_sample(run, i);
  device_.synchronize(run.stream);
  for (std::size_t i = 0; i < count; ++i) {
    samples_us.push_back(device_.elapsed_ms(*events_[i].begin, *events_[i].end) * 1000 / run.group);
  }
}

void Measurer::tune_run(Run& run) {
  // The first sort of a kernel may still load code; the second one tells how long a sort is, and how long
  // queuing it is.
  double sort_us = 0;
  double queue_us = 0;
  for (int i = 0; i < 2 && sort_us < 20000; ++i) {
    queue_us = queue_sample(run, 0);
    device_.synchronize(run.stream);
    sort_us = device_.elapsed_ms(*events_[0].begin, *events_[0].end) * 1000;
  }
  run.group = group_for(run, sort_us);
  if (run.group > 1) {
    const std::uint64_t bytes = run.group * stride_of(run.data.layout());
    if (!group_buffers_ || group_buffers_->size() < bytes) {
      group_buffers_.reset();
      group_buffers_ = device_.allocate(bytes);
    }
  }
  run.hold_steps = hold_steps_for(run, sort_us, queue_us);
}

std::uint32_t Measurer::group_for(const Run& run, double sort_us) const {
  double group = std::min(std::ceil(group_us / std::max(sort_us, 1.0)), static_cast<double>(max_group));
  const auto limit = [&group](double most) { group = std::max(1.0, std::min(group, std::floor(most))); };
  const DeviceInfo& info = device_.info();
  const auto bytes = static_cast<double>(stride_of(run.data.layout()));
  limit(static_cast<double>(max_queued) /
        static_cast<double>(std::max<std::size_t>(run.plan.plan().launches.size(), 1)));
  if (info.memory_bytes > 0) limit(static_cast<double>(info.memory_bytes) / 8 / bytes);
  // More buffers than the L2 holds would make warm samples cold ones.
  if (!run.cold_l2 && info.l2_bytes > 0) limit(static_cast<double>(info.l2_bytes) / 2 / bytes);
  return static_cast<std::uint32_t>(group);
}

std::uint64_t Measurer::hold_steps_for(const Run& run, double sort_us, double queue_us) {
  const auto launches = static_cast<double>(std::max<std::size_t>(run.plan.plan().launches.size(), 1));
  if (sort_us / launches > long_launch_us) return 0;
  const double hold_us = std::min(1.5 * queue_us * run.group + 10, max_hold_us);
  return static_cast<std::uint64_t>(hold_us * hold_steps_per_us(run.stream));
}

void Measurer::hold(std::uint64_t steps, StreamHandle stream) const {
  const std::array<std::uint64_t, 2> arguments = {steps,
                                                  reinterpret_cast<std::uintptr_t>(hold_sink_->data())};
  device_.launch(*hold_kernel_, Launch{}, arguments, stream);
}

double Measurer::hold_steps_per_us(StreamHandle stream) {
  if (hold_steps_per_us_ > 0) return hold_steps_per_us_;
  constexpr std::uint64_t steps = 200000;
  hold_kernel_ = kernels_.get({"kernels/hold.cuh", "bitune::hold_stream<1>"}).kernel;
  hold_sink_ = device_.allocate(sizeof(std::uint64_t));
  const EventPair events{device_.create_event(), device_.create_event()};
  hold(steps / 10, stream);  // loads the code
  device_.record(*events.begin, stream);
  hold(steps, stream);
  device_.record(*events.end, stream);
  device_.synchronize(stream);
  const double us = device_.elapsed_ms(*events.begin, *events.end) * 1000;
  hold_steps_per_us_ = static_cast<double>(steps) / std::max(us, 1.0);
  return hold_steps_per_us_;
}

}  // namespace bitune
