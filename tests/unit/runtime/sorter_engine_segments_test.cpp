// Segments: what a second batch, of another number and other lengths, costs the host. A trace tells all that
// the engine asks of the device, the compiler and the database.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/problem.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace engine_segments_test {
namespace {

/// Thread-safe: a plan's kernels are compiled side by side.
class Trace {
 public:
  void add(std::string_view what) {
    const std::lock_guard lock(mutex_);
    all_.emplace_back(what);
  }
  [[nodiscard]] std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

/// Has the limits of an H200, and executes nothing.
class TracedDevice final : public fake::Device {
 public:
  explicit TracedDevice(Trace& trace) : trace_(trace) {
    fake_compiler.on_compile = [this] { trace_.add("compile"); };
  }
  const DeviceInfo& info() const noexcept override { return limits_; }
  void launch(const LoadedKernel&, const Launch&, std::span<const std::uint64_t>, Stream) const override {
    trace_.add("launch");
  }
  void synchronize(Stream) const override { trace_.add("synchronize"); }
  void copy_to_host(void*, const void*, std::size_t, Stream) const override { trace_.add("copy to host"); }
  void copy_to_device(void*, const void*, std::size_t, Stream) const override {
    trace_.add("copy to device");
  }
  bool is_capturing(Stream) const override {
    trace_.add("is capturing");
    return false;
  }
  std::unique_ptr<DeviceBuffer> allocate_async(std::size_t, Stream) const override {
    trace_.add("allocate");
    return std::make_unique<fake::Memory<DeviceBuffer>>(16);
  }

 private:
  Trace& trace_;
  DeviceInfo limits_ = test::h200();
};

/// A call's arrays have addresses, and no memory: nobody reads them here.
Operands operands_of(const Problem& problem, std::uint64_t workspace_bytes) {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address << 40); };
  Operands operands;
  operands[Role::keys_in] = {at(1), problem.n, problem.n};
  operands[Role::keys_out] = {at(2), problem.n, problem.n};
  if (problem.value_bytes != 0) {
    operands[Role::values_in] = {at(3), problem.n, problem.n};
    operands[Role::values_out] = {at(4), problem.n, problem.n};
  }
  operands[Role::offsets] = {at(5), problem.rows + 1, 8};
  operands[Role::workspace] = {at(6), workspace_bytes, 0};
  return operands;
}

TEST(SortEngineSegments, AnotherBatchOfLikeSizeOnlyLaunches) {
  Trace trace;
  const auto device = std::make_shared<TracedDevice>(trace);
  const auto no_tunings = [&](const Problem&, std::string*) {
    trace.add("select");
    return CandidateSet{};
  };
  SortEngine engine(device, nullptr, no_tunings, variants());
  const SortSpec keys{.key = KeyType::u32};
  const SortSpec pairs{
      .operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4, .stable = true};
  struct Batch {
    std::uint64_t n, rows;
  };
  // Sorted by a cluster each, by lists of lengths, and digit by digit.
  for (const auto& [first, others] : std::vector<std::pair<Batch, std::vector<Batch>>>{
           {{127999, 31}, {{129332, 31}, {70000, 17}, {262144, 32}, {160001, 29}}},
           {{1000000, 10000}, {{900000, 12000}, {2000000, 16384}, {600001, 9001}}},
           {{5000000, 40}, {{6000000, 60}, {4194305, 33}}}}) {
    for (const SortSpec& spec : {keys, pairs}) {
      const Problem problem{spec, {.n = first.n, .rows = first.rows, .ragged = true}};
      const std::uint64_t workspace = engine.workspace_size(problem);
      engine.run(problem, operands_of(problem, workspace), nullptr);
      const std::vector<std::string> of_first = trace.take();
      EXPECT_GT(std::count(of_first.begin(), of_first.end(), "compile"), 0) << text_of(problem);
      const auto launches = std::count(of_first.begin(), of_first.end(), "launch");
      for (const Batch& other : others) {
        const Problem next{spec, {.n = other.n, .rows = other.rows, .ragged = true}};
        EXPECT_EQ(engine.workspace_size(next), workspace) << text_of(next);
        engine.run(next, operands_of(next, workspace), nullptr);
        EXPECT_EQ(trace.take(), std::vector<std::string>(static_cast<std::size_t>(launches), "launch"))
            << text_of(next);
      }
    }
  }
}

}  // namespace
}  // namespace engine_segments_test
}  // namespace bitune
