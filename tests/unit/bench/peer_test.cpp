#include "bench/peer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/interleaved_sampler.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"

namespace bitune {
namespace {

TEST(Peer, SaysWhereItWasLookedFor) {
  ::setenv("BITUNE_PEERS", "/nowhere:/not/there/either", 1);
  std::string note;
  EXPECT_FALSE(Peer::open("cub", note).has_value());
  EXPECT_NE(note.find("bitune_peer_cub.so"), std::string::npos) << note;
  EXPECT_NE(note.find("/not/there/either"), std::string::npos) << note;
  ::unsetenv("BITUNE_PEERS");
}

TEST(Peer, IsChosenForTheDevice) {
  const auto device = open_device("emulated");
  std::string note;
  EXPECT_FALSE(Peer::open_for(*device, "none", note).has_value());
  EXPECT_EQ(note, "") << "nothing was asked for";
  EXPECT_FALSE(Peer::open_for(*device, "", note).has_value());
  EXPECT_NE(note.find("--against host"), std::string::npos) << note;
  note.clear();
  const auto host = Peer::open_for(*device, "host", note);
  ASSERT_TRUE(host.has_value()) << note;
  EXPECT_EQ(host->name(), "host");
}

/// The peer's method as the bench has it, in memory of its own.
Contestant contestant_of(const Peer& peer, const BitunePeerMethod& method, const Problem& problem,
                         std::vector<std::byte>& workspace) {
  workspace.resize(peer.workspace_bytes(method, problem).value());
  return {method.name, method.in_place != 0, [&, problem](Operands operands, Stream stream) {
            operands[Role::workspace] = {workspace.data(), workspace.size(), 0};
            peer.sort(method, problem, operands, stream);
          }};
}

TEST(HostPeer, SortsWhateverTravels) {
  const auto device = open_device("emulated");
  std::string note;
  const auto peer = Peer::open_for(*device, "host", note);
  ASSERT_TRUE(peer.has_value()) << note;
  KernelStore kernels(device, nullptr);
  std::vector<SortSpec> specs;
  for (const KeyType key : all_key_types) {
    for (const Order order : {Order::ascending, Order::descending}) {
      specs.push_back({.operation = Operation::sort, .key = key, .order = order});
      specs.push_back({.operation = Operation::sort, .key = key, .index_bytes = 4, .order = order});
      for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
        specs.push_back({.operation = Operation::sort_pairs,
                         .key = key,
                         .value_bytes = bytes,
                         .order = order,
                         .stable = true});
      }
      specs.push_back(
          {.operation = Operation::argsort, .key = key, .index_bytes = 8, .order = order, .stable = true});
      specs.push_back({.operation = Operation::top_k, .key = key, .index_bytes = 4, .order = order, .k = 9});
    }
  }
  for (const SortSpec& spec : specs) {
    for (const Shape& shape :
         {Shape{.n = 70}, Shape{.n = 70, .rows = 5}, Shape{.n = 70, .rows = 4, .ragged = true}}) {
      const Problem problem{spec, shape};
      if (shape.ragged && spec.operation == Operation::top_k) continue;
      const Segments segments = packed_segments({20, 0, 47, 3});
      InterleavedSampler sampler(
          *device, kernels, problem, shape.ragged ? CallLayout(problem, segments) : CallLayout(problem),
          std::array{BenchInput{make_keys(problem.key, key_count(problem), Distribution::few_distinct, 1),
                                segments}});
      int methods = 0;
      for (const BitunePeerMethod* method : peer->methods()) {
        if (method->of_rows == 0 && shape.rows > 1) continue;
        std::vector<std::byte> workspace;
        EXPECT_TRUE(sampler.verify(contestant_of(*peer, *method, problem, workspace))) << text_of(problem);
        ++methods;
      }
      EXPECT_EQ(methods, shape.rows == 1 ? 2 : 1);
    }
  }
}

/// Four keys, of which the middle two are equal, and values that tell them apart. Each contestant writes what
/// it was told to.
class InterleavedSamplerOfPairs : public testing::Test {
 protected:
  static constexpr std::array<std::uint32_t, 4> keys = {9, 4, 4, 1};

  bool verify(bool stable, bool in_place, std::array<std::size_t, 4> order, bool with_values = true) {
    const Problem problem{
        {.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = stable},
        {.n = keys.size()}};
    std::vector<std::byte> bytes(sizeof(keys));
    std::memcpy(bytes.data(), keys.data(), bytes.size());
    InterleavedSampler sampler(*device_, kernels_, problem, CallLayout(problem),
                               std::array{BenchInput{bytes, {}}});
    Contestant contestant{
        "by order", in_place, [&](const Operands& operands, Stream) {
          EXPECT_EQ(operands[Role::keys_in].data == operands[Role::keys_out].data, in_place);
          EXPECT_EQ(operands[Role::values_in].data == operands[Role::values_out].data, in_place);
          EXPECT_EQ(bound_, operands[Role::values_out].data);
          write(operands, Role::keys_in, Role::keys_out, order);
          if (with_values) write(operands, Role::values_in, Role::values_out, order);
        }};
    contestant.bind = [&](const Operands& operands) { bound_ = operands[Role::values_out].data; };
    return sampler.verify(contestant);
  }

 private:
  static void write(const Operands& operands, Role in, Role out, std::array<std::size_t, 4> order) {
    std::array<std::uint32_t, 4> before{};
    std::memcpy(before.data(), operands[in].data, sizeof(before));
    for (std::size_t i = 0; i < order.size(); ++i) {
      static_cast<std::uint32_t*>(operands[out].data)[i] = before[order[i]];
    }
  }

  std::shared_ptr<Device> device_ = open_device("emulated");
  KernelStore kernels_{device_, nullptr};
  void* bound_ = nullptr;
};

TEST_F(InterleavedSamplerOfPairs, AreVerifiedWithTheirValues) {
  constexpr std::array<std::size_t, 4> stable = {3, 1, 2, 0};
  constexpr std::array<std::size_t, 4> swapped = {3, 2, 1, 0};
  constexpr std::array<std::size_t, 4> wrong = {3, 1, 0, 2};
  for (const bool in_place : {true, false}) {
    EXPECT_TRUE(verify(true, in_place, stable));
    EXPECT_TRUE(verify(false, in_place, stable));
    EXPECT_FALSE(verify(true, in_place, swapped)) << "equal keys have changed places";
    EXPECT_TRUE(verify(false, in_place, swapped)) << "their order is free";
    EXPECT_FALSE(verify(false, in_place, wrong));
    EXPECT_FALSE(verify(false, in_place, stable, false)) << "values stay where they were";
  }
}

/// The first two keys of four, of which the middle two are equal, and where they stand.
TEST(InterleavedSamplerOfTopK, TakesAnyOrderFromWhoHasNone) {
  const std::shared_ptr<Device> device = open_device("emulated");
  KernelStore kernels(device, nullptr);
  const Problem problem{{.operation = Operation::top_k, .key = KeyType::u32, .index_bytes = 4, .k = 2},
                        {.n = 4}};
  constexpr std::array<std::uint32_t, 4> keys = {9, 4, 4, 1};
  std::vector<std::byte> bytes(sizeof(keys));
  std::memcpy(bytes.data(), keys.data(), bytes.size());
  InterleavedSampler sampler(*device, kernels, problem, CallLayout(problem),
                             std::array{BenchInput{bytes, {}}});
  const auto verify = [&](bool any_order, std::array<std::uint32_t, 2> first,
                          std::array<std::uint32_t, 2> places) {
    Contestant contestant{"by hand", false, [&](const Operands& operands, Stream) {
                            std::memcpy(operands[Role::keys_out].data, first.data(), sizeof(first));
                            std::memcpy(operands[Role::indices_out].data, places.data(), sizeof(places));
                          }};
    contestant.any_order = any_order;
    return sampler.verify(contestant);
  };
  EXPECT_TRUE(verify(false, {1, 4}, {3, 1}));
  EXPECT_FALSE(verify(false, {4, 1}, {2, 3}));
  EXPECT_TRUE(verify(true, {4, 1}, {2, 3}));
  EXPECT_FALSE(verify(true, {4, 9}, {2, 0}));
  EXPECT_FALSE(verify(true, {4, 1}, {0, 3})) << "another key is there";
  EXPECT_FALSE(verify(true, {4, 1}, {9, 3}));
}

}  // namespace
}  // namespace bitune
