// Barriers, shuffles and coordinates of the emulated device, each by a planted kernel.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/unit/runtime/emulated_support.hpp"

namespace bitune::test {
namespace {

using Data = std::vector<std::uint32_t>;

// Without a seed and under three.
class EmulatedOrders : public testing::TestWithParam<int> {
 protected:
  static EmulatedOptions options() {
    return GetParam() == 0 ? EmulatedOptions{} : options_seeded(std::uint64_t(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedOrders, testing::Values(0, 1, 2, 3));

TEST_P(EmulatedOrders, CoordinatesCoverTheGrid) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      const u32 i = block_index() * block_size() + thread_index();
      if (i < n) data[i] = (block_count() << 24) | (warp_index() << 16) | (lane() << 8) | shared_bytes();
    })",
                       options());
  const Data data = kernel.run(Data(300, 7), launch_of(6, 50, 96));
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint32_t thread = i % 50;
    EXPECT_EQ(data[i], (6u << 24) | (thread / 32 << 16) | (thread % 32 << 8) | 96u) << i;
  }
}

TEST_P(EmulatedOrders, BlockBarrierOrdersSharedMemory) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(1024, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      const u32 i = thread_index();
      data += block_index() * block_size();
      shared[i] = data[i];
      for (u32 round = 0; round < 8; ++round) {
        sync_block();
        const u32 next = shared[(i + 1) % block_size()];
        sync_block();
        shared[i] = next;
      }
      data[i] = shared[i];
    })",
                       options());
  for (const std::uint32_t block : {1u, 31u, 33u, 100u, 1024u}) {
    Data data(block * 3);
    std::iota(data.begin(), data.end(), 0u);
    const Data result = kernel.run(data, launch_of(3, block, block * 4));
    for (std::uint32_t i = 0; i < data.size(); ++i) {
      const std::uint32_t begin = i / block * block;
      EXPECT_EQ(result[i], begin + (i - begin + 8) % block);
    }
  }
}

TEST_P(EmulatedOrders, ThreadsThatReturnedAreNotWaitedForAtTheBlockBarrier) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      if (thread_index() >= n) return;
      data[thread_index()] = 1;
      sync_block();
      if (thread_index() == 0) for (u32 i = 1; i < n; ++i) data[0] += data[i];
    })",
                       options());
  EXPECT_EQ(kernel.run(Data(40, 0), launch_of(1, 64))[0], 40u);
}

TEST_P(EmulatedOrders, ShufflesOverManyWarps) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(1024, 0) planted(u32* data, u64 n) {
      const u32 i = thread_index();
      const u32 own = data[i];
      u32 sum = 0;
      for (u32 mask = 0; mask < 32; ++mask) sum += shuffle_xor(own, mask);
      const u64 wide = shuffle(u64{own} << 32 | i, 3);
      const u32 values[4] = {own, own + 1, own + 2, own + 3};
      u32 received[4];
      shuffle_xor_each(values, 31, received);
      data[i] = sum * 1000 + u32(wide >> 32) + received[2];
    })",
                       options());
  for (const std::uint32_t block : {32u, 64u, 1024u}) {
    Data data(block);
    std::iota(data.begin(), data.end(), 0u);
    const Data result = kernel.run(data, launch_of(1, block));
    for (std::uint32_t i = 0; i < block; ++i) {
      const std::uint32_t first = i / 32 * 32;
      const std::uint32_t sum = 32 * first + 31 * 16;
      EXPECT_EQ(result[i], sum * 1000 + (first + 3) + ((i ^ 31) + 2)) << i;
    }
  }
}

TEST_P(EmulatedOrders, WarpsAddUpAndVote) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      const u32 i = thread_index();
      const u32 own = data[i];
      u32 words[2] = {own, lane()};
      warp_sum_each(words);
      float halves[1] = {static_cast<float>(own) / 2};
      warp_sum_each(halves);
      const bool are_small = all_of_warp(own < 32);
      const u32 alike = lanes_alike(own / 20);
      const bool is_right = words[1] == 31 * 16 && halves[0] * 2 == static_cast<float>(words[0]) &&
                            lanes_where(own % 2 == 1) == 0xaaaaaaaau && lanes_of_same_bits<2>(own) == 0x11111111u << i % 4;
      data[i] = is_right ? words[0] : 0;
      data[64 + i] = alike;
      data[128 + i] = are_small;
    })",
                       options());
  Data data(192);
  std::iota(data.begin(), data.end(), 0u);
  const Data result = kernel.run(data, launch_of(1, 64));
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(result[i], i < 32 ? 31u * 16 : 31u * 16 + 32 * 32) << i;
    std::uint32_t alike = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((i / 32 * 32 + lane) / 20 == i / 20) alike |= 1u << lane;
    }
    EXPECT_EQ(result[64 + i], alike) << i;
    EXPECT_EQ(result[128 + i], i < 32 ? 1u : 0u) << i;
  }
}

TEST_P(EmulatedOrders, PartialLastWarpShufflesAmongItsLanes) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      const u32 i = thread_index();
      data[i] = shuffle_xor(data[i], 1);
    })",
                       options());
  const Data result = kernel.run({10, 11, 12, 13, 14}, launch_of(1, 5));
  EXPECT_EQ((Data{result.begin(), result.begin() + 4}), (Data{11, 10, 13, 12}));
  EXPECT_EQ(result[4], 0xb5b5b5b5u) << "lane 5 does not exist";
}

TEST_P(EmulatedOrders, WarpBarriersOfPartsOfAWarp) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      const u32 i = thread_index();
      const u32 half = i / 16;
      const u32 mask = half % 2 == 0 ? 0x0000ffffu : 0xffff0000u;
      // The halves of a warp pass different numbers of barriers.
      for (u32 round = 0; round <= half; ++round) {
        shared[i] = data[i] + round;
        sync_warp(mask);
        const u32 other = shared[i ^ 15];
        sync_warp(mask);
        data[i] = other;
      }
      sync_warp();
      if (lane() == 0) data[i] += shared[i + 31];
    })",
                       options());
  const Data result = kernel.run(Data(64, 0), launch_of(1, 64, 256));
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t half = i / 16;
    const std::uint32_t sum = half * (half + 1) / 2;
    const std::uint32_t last = half + 1;
    EXPECT_EQ(result[i], i % 32 == 0 ? sum + last * (last + 1) / 2 : sum) << i;
  }
}

TEST_P(EmulatedOrders, ClusterSharesItsMemory) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      const u32 i = thread_index();
      shared[i] = block_index() * 100 + i;
      sync_cluster();
      const u32* other = shared_of_rank(shared, (cluster_rank() + 1) % cluster_size());
      data[block_index() * block_size() + i] = other[i];
      sync_cluster();
    })",
                       options());
  Launch launch = launch_of(12, 40, 160);
  launch.cluster = 4;
  const Data result = kernel.run(Data(480), launch);
  for (std::uint32_t i = 0; i < 480; ++i) {
    const std::uint32_t block = i / 40;
    EXPECT_EQ(result[i], (block / 4 * 4 + (block + 1) % 4) * 100 + i % 40) << i;
  }
}

TEST_P(EmulatedOrders, BytesArriveInAnotherBlock) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      Arrivals* arrivals = shared_memory<Arrivals>();
      u32* received = reinterpret_cast<u32*>(arrivals + 2);
      const u32 i = thread_index();
      if (i < 2) expect_bytes(arrivals + i, 4 * block_size());
      arrive_at_cluster();
      wait_for_cluster();
      u32 value = block_index() * 100 + i;
      for (u32 round = 0; round < 2; ++round) {
        const u32 next = (cluster_rank() + 1) % cluster_size();
        send_to_rank(received + round * block_size() + i, arrivals + round, next, value);
        wait_for_bytes(arrivals + round);
        value = received[round * block_size() + (i + 1) % block_size()];
      }
      data[block_index() * block_size() + i] = value;
    })",
                       options());
  Launch launch = launch_of(12, 40, 16 + 2 * 160);
  launch.cluster = 4;
  const Data result = kernel.run(Data(480), launch);
  for (std::uint32_t i = 0; i < 480; ++i) {
    const std::uint32_t block = i / 40;
    EXPECT_EQ(result[i], (block / 4 * 4 + (block + 2) % 4) * 100 + (i + 2) % 40) << i;
  }
}

TEST_P(EmulatedOrders, SeveralHostThreadsShareTheBlocks) {
  EmulatedOptions several = options();
  several.host_threads = 4;
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      shared[thread_index()] = 1;
      sync_block();
      if (thread_index() < block_size() / 2) shared[thread_index()] += shared[thread_index() + block_size() / 2];
      sync_block();
      atomic_add(data, shared[thread_index() % 32]);
      data[1 + block_index()] = block_index();
    })",
                       several);
  const Data result = kernel.run(Data(501, 0), launch_of(500, 64, 256));
  EXPECT_EQ(result[0], 500u * 64 * 2);
  for (std::uint32_t i = 0; i < 500; ++i) EXPECT_EQ(result[i + 1], i);
}

TEST_P(EmulatedOrders, RunsAreReproducible) {
  // Each thread notes when its turn came: the order is that of the seed.
  const std::string definition = R"(
    BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
      const u32 mine = 64 * block_index();
      data[mine + atomic_add(data + 128 + block_index(), 1u)] = thread_index();
    })";
  const Data first = PlantedKernel(definition, options()).run(Data(130, 0), launch_of(2, 64));
  PlantedKernel again(definition, options());
  EXPECT_EQ(again.run(Data(130, 0), launch_of(2, 64)), first);
  EXPECT_EQ(again.run(Data(130, 0), launch_of(2, 64)), first);
  Data in_order(64);
  std::iota(in_order.begin(), in_order.end(), 0u);
  EXPECT_EQ(GetParam() == 0, std::equal(in_order.begin(), in_order.end(), first.begin()));
}

}  // namespace
}  // namespace bitune::test
