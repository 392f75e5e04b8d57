#include "bench/captured_sort.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "bench/interleaved_sampler.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_order.hpp"
#include "model/problem_operands.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace {

Problem array_to_capture(std::uint64_t n) { return {{.key = KeyType::u32}, {.n = n}}; }

constexpr std::size_t captured_keys = 100;

Operands in_place(std::vector<std::byte>& keys) {
  Operands operands = packed_operands(array_to_capture(captured_keys), keys.data());
  operands[Role::keys_in] = operands[Role::keys_out];
  return operands;
}

/// Sorts at once on the host; as a graph, whenever that is launched.
Contestant sorter_to_capture(bool in_place) {
  return {"host", in_place,
          [in_place](const Operands& operands, Stream) {
            void* const keys = operands.input().data;
            void* const out = operands[Role::keys_out].data;
            if (!in_place) std::memcpy(out, keys, captured_keys * 4);
            reference_sort(in_place ? keys : out, captured_keys, KeyType::u32, Order::ascending);
          },
          3};
}

TEST(CapturedSort, IsCapturedOnceForEachBuffer) {
  const fake::Device device;
  const Contestant graph = as_graph(device, sorter_to_capture(true));
  EXPECT_EQ(graph.name, "host");
  EXPECT_EQ(graph.launches, 3u);
  auto first = make_keys(KeyType::u32, captured_keys, Distribution::random, 1);
  auto second = make_keys(KeyType::u32, captured_keys, Distribution::random, 2);
  graph.bind(in_place(first));
  EXPECT_EQ(device.captures, 1);
  EXPECT_FALSE(is_sorted(first.data(), captured_keys, KeyType::u32, Order::ascending)) << "nothing ran yet";
  for (int i = 0; i < 3; ++i) graph.sort(in_place(first), nullptr);
  EXPECT_TRUE(is_sorted(first.data(), captured_keys, KeyType::u32, Order::ascending));
  EXPECT_EQ(device.captures, 1);
  graph.sort(in_place(second), nullptr);
  EXPECT_TRUE(is_sorted(second.data(), captured_keys, KeyType::u32, Order::ascending));
  EXPECT_EQ(device.captures, 2);
  Operands without_input = in_place(second);
  without_input[Role::keys_in] = {};
  graph.sort(without_input, nullptr);
  EXPECT_EQ(device.captures, 2) << "in place however it is said";
}

TEST(CapturedSort, OfAnotherOutputIsAnotherGraph) {
  const fake::Device device;
  const Contestant graph = as_graph(device, sorter_to_capture(false));
  auto keys = make_keys(KeyType::u32, captured_keys, Distribution::random, 1);
  std::vector<std::byte> out(keys.size());
  std::vector<std::byte> other(keys.size());
  graph.sort(packed_operands(array_to_capture(captured_keys), out.data(), keys.data()), nullptr);
  graph.sort(packed_operands(array_to_capture(captured_keys), other.data(), keys.data()), nullptr);
  EXPECT_EQ(device.captures, 2);
  EXPECT_EQ(out, other);
  EXPECT_TRUE(is_sorted(out.data(), captured_keys, KeyType::u32, Order::ascending));
}

TEST(CapturedSort, IsVerifiedAndTimedInTurnWithTheSortItself) {
  const auto device = std::make_shared<fake::Device>();
  device->let_events_pass_time();
  const auto keys = make_keys(KeyType::u32, captured_keys, Distribution::random, 1);
  KernelStore kernels(device, nullptr);
  InterleavedSampler sampler(*device, kernels, array_to_capture(captured_keys),
                             CallLayout(array_to_capture(captured_keys)), std::array{BenchInput{keys, {}}});
  const std::vector<Contestant> both = {sorter_to_capture(true), as_graph(*device, sorter_to_capture(true))};
  EXPECT_TRUE(sampler.verify(both[1]));
  EXPECT_FALSE(sampler.verify(as_graph(*device, {"nothing", true, [](const Operands&, Stream) {}})));
  const InterleavedSamples result = sampler.run(both, 5);
  EXPECT_EQ(result.samples_us[1].size(), 5u);
  EXPECT_EQ(result.batches[1], 16);
  EXPECT_LE(device->captures, 2 + 16 + 1) << "as many as there are buffers";
}

}  // namespace
}  // namespace bitune
