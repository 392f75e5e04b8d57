#include "measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double group_us = 200;         // a sample at least, as far as `max_group` and memory allow
constexpr std::uint32_t max_group = 16;  // sorts a sample
constexpr std::size_t max_queued = 512;  // launches between two events: below what a stream's queue holds
constexpr std::size_t unknown_launches = 32;  // of a sort that does not tell
constexpr double long_launch_us = 20;         // launches of this length are queued faster than they run
constexpr double max_hold_us = 5000;
constexpr int most_lengthened = 4;
constexpr std::size_t most_late = 256;  // samples, after which a host is as slow as it is
constexpr double long_sort_us = 20000;  // one such sort warms up enough
constexpr std::size_t alignment = 256;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::size_t stride_of(const SampledCall& call) { return aligned(call.input_bytes); }

/// Bytes of what is only written.
std::size_t output_bytes(const SampledCall& call) { return call.bytes - call.input_bytes; }

double launches_of(const Contestant& contestant) {
  return static_cast<double>(contestant.launches > 0 ? contestant.launches : unknown_launches);
}

void grow(const Device& device, std::unique_ptr<DeviceBuffer>& buffer, std::size_t bytes) {
  if (buffer && buffer->size() >= bytes) return;
  buffer.reset();  // before the next: both at once may not fit
  buffer = device.allocate(bytes);
}

}  // namespace

SampledCall SampledCall::of(const CallLayout& layout, std::vector<const void*> images, void* work) {
  SampledCall call{.arrays = {},
                   .images = std::move(images),
                   .input_bytes = layout.input_bytes(),
                   .bytes = layout.bytes(),
                   .work = work};
  for (const CallLayout::Part& part : layout.parts()) {
    call.arrays.push_back(
        {part.array, part.layout.operand(nullptr), part.begin + GuardedLayout::guard_bytes});
  }
  return call;
}

Operands SampledCall::operands(bool in_place, const CallMemory& memory) const {
  Operands operands;
  for (const Array& one : arrays) {
    const auto at = [&one](void* begin, std::size_t offset) {
      Operand operand = one.operand;
      operand.data = static_cast<std::byte*>(begin) + offset;
      return operand;
    };
    if (one.array.in) operands[*one.array.in] = at(memory.input, one.offset);
    if (!one.array.out) continue;
    operands[*one.array.out] = one.array.in ? at(in_place ? memory.input : memory.copies, one.offset)
                                            : at(memory.written, one.offset - input_bytes);
  }
  return operands;
}

bool SampledCall::has_copies() const {
  return std::any_of(arrays.begin(), arrays.end(),
                     [](const Array& one) { return one.array.in && one.array.out; });
}

bool is_emulated(const Device& device) { return device.info().kind == "emulated"; }

int images_in_turn(const Device& device, std::uint64_t bytes, int wanted) {
  if (is_emulated(device) || bytes == 0) return 1;
  const auto quarter = static_cast<std::uint64_t>(std::max<std::int64_t>(device.info().l2_bytes, 0)) / 4;
  return static_cast<int>(
      std::clamp<std::uint64_t>(quarter / bytes, 1, static_cast<std::uint64_t>(std::max(wanted, 1))));
}

Sampler::Setup Sampler::prepare(const Contestant& contestant, const SampledCall& call, bool cold_l2,
                                Stream stream) {
  Setup setup{
      .contestant = &contestant, .call = call, .stream = stream, .cold_l2 = cold_l2 && !is_emulated(device_)};
  reserve(setup);
  if (is_emulated(device_)) return setup;
  bind(setup);
  // The first sort of a kernel may still load code; the second one tells how long a sort is, and how long
  // queuing it is.
  double sort_us = 0;
  double queue_us = 0;
  for (int i = 0; i < 2 && sort_us < long_sort_us; ++i) {
    queue_us = queue_sample(setup, 0);
    device_.synchronize(stream);
    sort_us = device_.elapsed_ms(*events_[0].begin, *events_[0].end) * 1000;
  }
  setup.group = group_for(setup, sort_us);
  reserve(setup);
  setup.hold_steps = hold_steps_for(setup, sort_us, queue_us);
  return setup;
}

void Sampler::take(Setup& setup, std::size_t count, std::vector<double>& samples_us, ClockSummary& clock) {
  bind(setup);  // only now: other contestants' buffers may have taken the place of smaller ones
  const std::size_t enough = samples_us.size() + count;
  while (samples_us.size() < enough) {
    take_batch(setup, std::min(enough - samples_us.size(), most_queued_samples), samples_us, clock);
  }
}

/// Memory for this setup, which grows only: contestants in turn share it, and are all prepared before the
/// first is sampled.
void Sampler::reserve(const Setup& setup) {
  if (setup.group > 1 || setup.call.work == nullptr) {
    grow(device_, buffers_, setup.group * stride_of(setup.call));
  }
  const std::size_t outputs = setup.call.work == nullptr ? output_bytes(setup.call) : 0;
  const bool copies_any = !setup.contestant->in_place && setup.call.has_copies();
  const std::size_t copies = copies_any ? setup.call.input_bytes : 0;
  if (outputs + copies != 0) grow(device_, out_, aligned(outputs) + copies);
  if (setup.cold_l2) {
    const std::int64_t l2 = device_.info().l2_bytes;
    grow(device_, flush_, 2 * static_cast<std::size_t>(l2 > 0 ? l2 : std::int64_t{32} << 20));
  }
}

void* Sampler::buffer(const Setup& setup, std::uint32_t index) const {
  if (setup.group == 1 && setup.call.work != nullptr) return setup.call.work;
  return static_cast<std::byte*>(buffers_->data()) + index * stride_of(setup.call);
}

Operands Sampler::operands_of(const Setup& setup, std::uint32_t index) const {
  const SampledCall& call = setup.call;
  auto* const out = out_ ? static_cast<std::byte*>(out_->data()) : nullptr;
  CallMemory memory{.input = buffer(setup, index), .written = out, .copies = out};
  if (call.work != nullptr) {
    memory.written = static_cast<std::byte*>(call.work) + call.input_bytes;
  } else if (out != nullptr) {
    memory.copies = out + aligned(output_bytes(call));
  }
  return call.operands(setup.contestant->in_place, memory);
}

void Sampler::bind(const Setup& setup) const {
  if (!setup.contestant->bind) return;
  for (std::uint32_t i = 0; i < setup.group; ++i) setup.contestant->bind(operands_of(setup, i));
}

double Sampler::queue_sample(Setup& setup, std::size_t index) {
  while (events_.size() <= index) events_.push_back({device_.create_event(), device_.create_event()});
  const Stream stream = setup.stream;
  if (setup.hold_steps != 0) hold(setup.hold_steps, stream);
  for (std::uint32_t i = 0; i < setup.group; ++i) {
    const void* const image = setup.call.images[setup.next_image++ % setup.call.images.size()];
    device_.copy_on_device(buffer(setup, i), image, setup.call.input_bytes, stream);
  }
  if (setup.cold_l2) device_.fill(flush_->data(), 0, flush_->size(), stream);
  const auto begin = Clock::now();
  device_.record(*events_[index].begin, stream);
  for (std::uint32_t i = 0; i < setup.group; ++i) {
    setup.contestant->sort(operands_of(setup, i), stream);
  }
  device_.record(*events_[index].end, stream);
  return us_since(begin);
}

void Sampler::take_batch(Setup& setup, std::size_t count, std::vector<double>& samples_us,
                         ClockSummary& clock) {
  const bool looks = setup.hold_steps != 0 && !setup.counts_all;
  std::array<bool, most_queued_samples> is_late{};
  for (std::size_t i = 0; i < count; ++i) {
    queue_sample(setup, i);
    is_late[i] = looks && device_.has_passed(*events_[i].begin);
  }
  if (const auto reading = device_.read_clock()) clock.add(*reading);  // while the device is at it
  device_.synchronize(setup.stream);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_late[i]) continue;
    samples_us.push_back(device_.elapsed_ms(*events_[i].begin, *events_[i].end) * 1000 / setup.group);
  }
  const auto late = static_cast<std::size_t>(std::count(is_late.begin(), is_late.end(), true));
  if (late < count) setup.was_in_time = true;
  if (late == 0) return;
  // The host was slower than when it was timed: the device would have waited for it.
  setup.late += late;
  if (setup.lengthened < most_lengthened && ++setup.lengthened < most_lengthened) {
    setup.hold_steps *= 2;
  } else if (!setup.was_in_time) {
    // A sort that waits for the device itself is late however long the stream is held: then it is as it was.
    setup.counts_all = true;
    setup.hold_steps >>= most_lengthened - 1;
  }
  if (setup.late >= most_late) setup.counts_all = true;
}

std::uint32_t Sampler::group_for(const Setup& setup, double sort_us) const {
  double group = std::min(std::ceil(group_us / std::max(sort_us, 1.0)), static_cast<double>(max_group));
  const auto limit = [&group](double most) { group = std::max(1.0, std::min(group, std::floor(most))); };
  const DeviceInfo& info = device_.info();
  const auto bytes = static_cast<double>(stride_of(setup.call));
  limit(static_cast<double>(max_queued) / launches_of(*setup.contestant));
  if (info.memory_bytes > 0) limit(static_cast<double>(info.memory_bytes) / 8 / bytes);
  // More buffers than the L2 holds would make warm samples cold ones. (Flushed, one buffer would do for a
  // sample; more of them are as cold.)
  if (!setup.cold_l2 && info.l2_bytes > 0) limit(static_cast<double>(info.l2_bytes) / 2 / bytes);
  return static_cast<std::uint32_t>(group);
}

std::uint64_t Sampler::hold_steps_for(const Setup& setup, double sort_us, double queue_us) {
  if (sort_us / launches_of(*setup.contestant) > long_launch_us) return 0;
  const double hold_us = std::min(1.5 * queue_us * setup.group + 10, max_hold_us);
  return static_cast<std::uint64_t>(hold_us * hold_steps_per_us(setup.stream));
}

void Sampler::hold(std::uint64_t steps, Stream stream) const {
  const std::array<std::uint64_t, 2> arguments = {steps,
                                                  reinterpret_cast<std::uintptr_t>(hold_sink_->data())};
  device_.launch(*hold_kernel_, Launch{}, arguments, stream);
}

double Sampler::hold_steps_per_us(Stream stream) {
  if (hold_steps_per_us_ > 0) return hold_steps_per_us_;
  constexpr std::uint64_t steps = 200000;
  hold_kernel_ = kernels_.get({"kernels/measure/hold.cuh", "bitune::hold_stream<1>"}).kernel;
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
