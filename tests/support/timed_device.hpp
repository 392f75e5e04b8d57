#pragma once

/// \file
/// A GPU whose time passes only through what it is asked to do, and that keeps a log of it: for tests of how
/// things are timed.

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_device.hpp"

namespace bitune::fake {

/// Sorts nothing. Work takes scripted times: what a sort launches, copies and fills 1 us each, and the kernel
/// that holds the stream 1 us for a thousand steps.
class TimedDevice final : public Device {
 public:
  explicit TimedDevice(std::int64_t l2_bytes = std::int64_t{50} << 20) {
    timed_info_ = Device::info();
    timed_info_.l2_bytes = l2_bytes;
    timed_info_.memory_bytes = std::int64_t{1} << 40;
  }
  const DeviceInfo& info() const noexcept override { return timed_info_; }

  /// What a contestant calls to pass device time.
  void work(double us) const {
    log.push_back("sort");
    now_us += us;
  }

  void launch(const LoadedKernel& kernel, const Launch&, std::span<const std::uint64_t> arguments,
              Stream) const override {
    const bool holds = dynamic_cast<const Kernel&>(kernel).name.find("hold") != std::string::npos;
    log.push_back(holds ? "hold" : "sort");
    now_us += holds ? static_cast<double>(arguments[0]) / 1000 : launch_us();
  }
  void copy_on_device(void* to, const void* from, std::size_t, Stream) const override {
    log.push_back("restore");
    restored.push_back(to);
    restored_from.push_back(from);
    now_us += 1;
  }
  void fill(void*, std::uint8_t, std::size_t bytes, Stream) const override {
    log.push_back("flush");
    flushed_bytes = bytes;
    now_us += 1;
  }
  std::unique_ptr<DeviceEvent> create_event() const override { return std::make_unique<Mark>(); }
  void record(DeviceEvent& event, Stream) const override {
    log.push_back("event");
    dynamic_cast<Mark&>(event).us = now_us;
  }
  bool has_passed(const DeviceEvent&) const override { return is_late && is_late(); }
  double elapsed_ms(const DeviceEvent& begin, const DeviceEvent& end) const override {
    return (dynamic_cast<const Mark&>(end).us - dynamic_cast<const Mark&>(begin).us) / 1000;
  }
  void synchronize(Stream) const override { log.push_back("synchronize"); }
  std::optional<ClockReading> read_clock() const override { return clock ? clock() : std::nullopt; }

  /// The log from the first of the samples that count: behind what warms up and calibrates.
  [[nodiscard]] std::vector<std::string> last(std::size_t entries) const {
    return {log.end() - static_cast<std::ptrdiff_t>(std::min(entries, log.size())), log.end()};
  }

  std::function<double()> launch_us = [] { return 10.0; };
  std::function<bool()> is_late;  ///< whether what is measured began before all of it was queued
  std::function<std::optional<ClockReading>()> clock;
  mutable double now_us = 0;
  mutable std::vector<std::string> log;
  mutable std::vector<void*> restored;
  mutable std::vector<const void*> restored_from;
  mutable std::size_t flushed_bytes = 0;

 private:
  class Mark final : public DeviceEvent {
   public:
    double us = 0;
  };
  DeviceInfo timed_info_;
};

}  // namespace bitune::fake
