// Launches that overlap as far as they may: what the launch before wrote arrives only when the next one waits
// for it. A kernel that reads or writes what it may not, before it waits, then sorts wrongly. Before the
// first launch of a sort it is the keys themselves that are late.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace neighbours_tests {
namespace {

/// All memory of one call, and what it holds.
class Memory {
 public:
  void add(const Device& device, std::size_t bytes) { buffers_.push_back(device.allocate(bytes)); }
  [[nodiscard]] std::byte* at(std::size_t index) const {
    return static_cast<std::byte*>(buffers_[index]->data());
  }
  [[nodiscard]] std::vector<std::vector<std::byte>> contents() const {
    std::vector<std::vector<std::byte>> all;
    for (const auto& buffer : buffers_) {
      const auto* data = static_cast<const std::byte*>(buffer->data());
      all.emplace_back(data, data + buffer->size());
    }
    return all;
  }
  void set(const std::vector<std::vector<std::byte>>& contents) const {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      if (!contents[i].empty()) std::memcpy(at(i), contents[i].data(), contents[i].size());
    }
  }

 private:
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
};

/// What the emulated device calls at the first wait of each launch; it is set for each launch anew.
struct Arrival {
  std::function<void()> now;
};

class Overlap : public ::testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    EmulatedOptions options;
    options.host_threads = 1;  // else another block could read what has arrived for the first one
    options.seed = 3;
    options.at_first_wait = [this] {
      if (arrival_.now) arrival_.now();
    };
    bench_ = make_bench(make_emulated_device(options));
  }

  /// Runs the plan's launches one by one. Operands: keys_out, keys_in, workspace, in this order.
  void check(const Problem& problem, const Configuration& configuration, bool in_place) {
    const Device& device = *bench_.device;
    const ExecutablePlan plan =
        make_executable(device, *bench_.kernels, GetParam()->plan(problem, configuration, device.info()));
    if (!in_place && !plan.plan().out_of_place) return;
    const std::vector<std::byte> keys = make_keys(problem.key, problem.n, Distribution::few_distinct, 5);
    Memory memory;
    memory.add(device, keys.size());
    memory.add(device, keys.size());
    memory.add(device, plan.plan().workspace_bytes);
    const std::size_t input = in_place ? 0 : 1;
    const auto before_the_sort = memory.contents();  // junk
    auto arrived = before_the_sort;
    arrived[input] = keys;

    auto stale = before_the_sort;
    for (const Launch& launch : plan.plan().launches) {
      // A plain launch begins when the one before has ended; a dependent one while what that wrote is on its
      // way.
      memory.set(launch.dependent ? stale : arrived);
      arrival_.now = [&] { memory.set(arrived); };
      Plan one = plan.plan();
      one.launches = {launch};
      Operands operands;
      operands[Role::keys_out] = {memory.at(0), problem.n, problem.n};
      operands[Role::keys_in] = {memory.at(input), problem.n, problem.n};
      operands[Role::workspace] = {memory.at(2), plan.plan().workspace_bytes, 0};
      ExecutablePlan(device, one, plan.kernels()).run(operands, nullptr);
      stale = arrived;
      arrived = memory.contents();
    }
    std::vector<std::byte> expected = keys;
    reference_sort(expected.data(), problem.n, problem.key, problem.order);
    EXPECT_EQ(arrived[0], expected) << text_of(problem) << " with " << configuration.text()
                                    << (in_place ? " in place" : " out of place");
  }

  Bench bench_;
  Arrival arrival_;
};

TEST_P(Overlap, NoLaunchTouchesWhatTheOneBeforeWrites) {
  const Variant& variant = *GetParam();
  const DeviceInfo& device = bench_.device->info();
  for (const Problem& problem : {problem_of(KeyType::u32, 3001), problem_of(KeyType::u16, 3001)}) {
    if (!variant.supports(problem, device)) continue;
    Configuration configuration = variant.default_configuration(problem, device);
    if (configuration.parameters.count("dependent_launch") == 0) continue;
    for (const std::int64_t way : {1, 2}) {
      configuration.parameters["dependent_launch"] = way;
      if (variant.space(problem, device).violation(configuration, problem, device)) continue;
      check(problem, configuration, true);
      check(problem, configuration, false);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Overlap, ::testing::ValuesIn(variants().begin(), variants().end()),
                         [](const ::testing::TestParamInfo<const Variant*>& info) {
                           return std::string(info.param->name());
                         });

}  // namespace
}  // namespace neighbours_tests
}  // namespace bitune::test
