#include "bench/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace bitune {
namespace {

constexpr double sample_goal_us = 500;
constexpr int most_sorts = 64;
constexpr std::size_t batch_budget = std::size_t{512} << 20;
constexpr std::size_t most_stall_bytes = std::size_t{512} << 20;
constexpr double longest_stall_us = 10000;
constexpr int warm_ups = 2;
constexpr double most_time_us = 500000;   // of one side, after which it is sampled no more ...
constexpr std::size_t least_samples = 3;  // ... unless it has fewer than these
constexpr std::size_t slot_alignment = 256;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Memory to keep the device busy with; none where launches are synchronous.
std::size_t stall_bytes(const DeviceInfo& device) {
  if (device.kind != "cuda") return 0;
  return std::min(most_stall_bytes, static_cast<std::size_t>(device.memory_bytes) / 64);
}

}  // namespace

std::uint64_t Turns::memory_needed(std::uint64_t key_bytes) noexcept {
  return 3 * key_bytes + most_stall_bytes;
}

Turns::Turns(const Device& device, std::span<const std::byte> keys)
    : device_(device),
      bytes_(keys.size()),
      stride_((keys.size() + slot_alignment - 1) / slot_alignment * slot_alignment),
      stream_(device.create_stream()),
      begin_(device.create_event()),
      end_(device.create_event()),
      pristine_(device.allocate(stride_)),
      work_(device.allocate(stride_)),
      out_(device.allocate(stride_)) {
  if (const std::size_t bytes = stall_bytes(device.info()); bytes > 0) stall_ = device.allocate(bytes);
  device_.copy_to_device(pristine_->data(), keys.data(), bytes_, stream_->handle());
  device_.synchronize(stream_->handle());
}

std::byte* Turns::slot(int index) const {
  return static_cast<std::byte*>(work_->data()) + static_cast<std::size_t>(index) * stride_;
}

void Turns::set_batch(int batch) {
  if (batch == batch_) return;
  const std::size_t size = static_cast<std::size_t>(batch) * stride_;
  auto pristine = device_.allocate(size);
  for (std::size_t offset = 0; offset < size; offset += stride_) {
    device_.copy_on_device(static_cast<std::byte*>(pristine->data()) + offset, pristine_->data(), bytes_,
                           stream_->handle());
  }
  device_.synchronize(stream_->handle());
  pristine_ = std::move(pristine);
  work_.reset();
  work_ = device_.allocate(size);
  batch_ = batch;
}

void Turns::restore() {
  const std::size_t used = static_cast<std::size_t>(batch_ - 1) * stride_ + bytes_;
  device_.copy_on_device(work_->data(), pristine_->data(), used, stream_->handle());
}

bool Turns::verify(const Contestant& contestant, std::span<const std::byte> expected) {
  const StreamHandle stream = stream_->handle();
  std::vector<std::byte> result(bytes_);
  restore();
  device_.fill(out_->data(), 0xA5, bytes_, stream);
  contestant.sort(slot(0), out_->data(), stream);
  device_.copy_to_host(result.data(), contestant.in_place ? slot(0) : out_->data(), bytes_, stream);
  device_.synchronize(stream);
  return result.size() == expected.size() && std::memcmp(result.data(), expected.data(), bytes_) == 0;
}

double Turns::sample_us(const Contestant& contestant) {
  const StreamHandle stream = stream_->handle();
  for (int i = 0; i < stall_fills_; ++i) device_.fill(stall_->data(), 0, stall_->size(), stream);
  restore();
  device_.record(*begin_, stream);
  for (int i = 0; i < batch_; ++i) contestant.sort(slot(i), out_->data(), stream);
  device_.record(*end_, stream);
  const double us = 1000 * device_.elapsed_ms(*begin_, *end_) / batch_;
  device_.synchronize(stream);
  return us;
}

void Turns::calibrate_stall(std::span<const Contestant> contestants) {
  stall_fills_ = 0;
  if (!stall_) return;
  const StreamHandle stream = stream_->handle();
  device_.record(*begin_, stream);
  device_.fill(stall_->data(), 0, stall_->size(), stream);
  device_.record(*end_, stream);
  const double fill_us = 1000 * device_.elapsed_ms(*begin_, *end_);

  double host_us = 0;
  for (const Contestant& contestant : contestants) {
    restore();
    const double begin = now_us();
    for (int i = 0; i < batch_; ++i) contestant.sort(slot(i), out_->data(), stream);
    host_us = std::max(host_us, now_us() - begin);
    device_.synchronize(stream);
  }
  // Half as much again, since enqueuing is slower at times; not without end, since a full queue makes the
  // host wait.
  const double stall_us = std::min(1.5 * host_us, longest_stall_us);
  stall_fills_ = std::max(1, static_cast<int>(std::ceil(stall_us / std::max(fill_us, 1.0))));
}

TurnsResult Turns::run(std::span<const Contestant> contestants, int samples) {
  set_batch(1);
  calibrate_stall(contestants);
  double fastest_us = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= warm_ups; ++round) {
    for (const Contestant& contestant : contestants) fastest_us = std::min(fastest_us, sample_us(contestant));
  }

  const auto by_memory = static_cast<double>(std::max<std::size_t>(batch_budget / stride_, 1));
  const double wanted = std::ceil(sample_goal_us / std::max(fastest_us, 0.1));
  set_batch(static_cast<int>(std::clamp(wanted, 1.0, std::min<double>(most_sorts, by_memory))));
  if (batch_ > 1) calibrate_stall(contestants);

  TurnsResult result;
  result.batch = batch_;
  result.samples_us.resize(contestants.size());
  std::vector<double> spent_us(contestants.size());
  for (int round = -1; round < samples; ++round) {  // the first round warms up
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (spent_us[i] > most_time_us && result.samples_us[i].size() >= least_samples) continue;
      const double us = sample_us(contestants[i]);
      spent_us[i] += us * batch_;
      if (round >= 0) result.samples_us[i].push_back(us);
    }
  }
  return result;
}

}  // namespace bitune
