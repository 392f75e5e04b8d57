// What the emulated device catches: missing barriers, deadlocks, broken rules, launches over the limits.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "tests/unit/runtime/emulated_support.hpp"

namespace bitune::test {
namespace {

using testing::Values;
using Data = std::vector<std::uint32_t>;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Odd-even transposition sort of a block's keys in shared memory: correct only with the barrier after each
// round.
std::string transposition_sort(const std::string& barrier) {
  return R"(
    BITUNE_KERNEL(256, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      const u32 i = thread_index();
      shared[2 * i] = data[2 * i];
      shared[2 * i + 1] = data[2 * i + 1];
      sync_block();
      for (u32 round = 0; round < n; ++round) {
        const u32 left = 2 * i + round % 2;
        if (left + 1 < n && shared[left + 1] < shared[left]) {
          const u32 swap = shared[left];
          shared[left] = shared[left + 1];
          shared[left + 1] = swap;
        }
        )" +
         barrier + R"(
      }
      data[2 * i] = shared[2 * i];
      data[2 * i + 1] = shared[2 * i + 1];
    })";
}

bool sorts(const std::string& definition, std::uint64_t seed) {
  Data data(128);
  for (std::uint32_t i = 0; i < data.size(); ++i) data[i] = i * 2654435761u;
  PlantedKernel kernel(definition, options_seeded(seed));
  const Data result = kernel.run(data, launch_of(1, 64, 512));
  std::sort(data.begin(), data.end());
  return result == data;
}

TEST(EmulatedRaces, MissingBlockBarrierIsCaught) {
  int caught = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_TRUE(sorts(transposition_sort("sync_block();"), seed)) << "seed " << seed;
    if (!sorts(transposition_sort(""), seed)) ++caught;
    if (!sorts(transposition_sort("sync_warp();"), seed))
      ++caught;  // two warps need more than their own barriers
  }
  EXPECT_GE(caught, 2);
}

TEST(EmulatedRaces, MissingWarpBarrierIsCaught) {
  const std::string rotate = R"(
    BITUNE_KERNEL(32, 0) planted(u32* data, u64 n) {
      u32* shared = shared_memory<u32>();
      const u32 i = thread_index();
      shared[i] = data[i];
      BARRIER
      data[i] = shared[(i + 31) % 32];
    })";
  Data data(32);
  std::iota(data.begin(), data.end(), 0u);
  Data rotated(32);
  for (std::uint32_t i = 0; i < 32; ++i) rotated[i] = (i + 31) % 32;
  int caught = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    PlantedKernel right("#define BARRIER sync_warp();\n" + rotate, options_seeded(seed));
    EXPECT_EQ(right.run(data, launch_of(1, 32, 128)), rotated);
    PlantedKernel wrong("#define BARRIER\n" + rotate, options_seeded(seed));
    if (wrong.run(data, launch_of(1, 32, 128)) != rotated) ++caught;
  }
  EXPECT_GE(caught, 1);
}

TEST(EmulatedRaces, ReadingUnwrittenMemoryGivesJunk) {
  PlantedKernel kernel(R"(
    BITUNE_KERNEL(32, 0) planted(u32* data, u64 n) {
      data[thread_index()] = shared_memory<u32>()[thread_index()];
      shared_memory<u32>()[thread_index()] = 1;
    })");
  EXPECT_EQ(kernel.run(Data(32, 0), launch_of(1, 32, 128)), Data(32, 0xb5b5b5b5u));
  EXPECT_EQ(kernel.run(Data(32, 0), launch_of(1, 32, 128)), Data(32, 0xb5b5b5b5u))
      << "shared memory was kept";
  const auto buffer = kernel.device().allocate(8);
  EXPECT_EQ(static_cast<const std::uint32_t*>(buffer->data())[1], 0xb5b5b5b5u);
}

struct Deadlock {
  std::string name;
  std::string body;
  std::vector<std::string> parts;

  friend std::ostream& operator<<(std::ostream& out, const Deadlock& deadlock) {
    return out << deadlock.name;
  }
};

class EmulatedDeadlocks : public testing::TestWithParam<Deadlock> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, EmulatedDeadlocks,
    Values(Deadlock{"BarriersOfDifferentKinds",
                    "if (thread_index() < 32) sync_block(); else sync_cluster();",
                    {"thread 0 of block 0 waits at sync_block() (and 31 more)",
                     "thread 32 of block 0 waits at sync_cluster()"}},
           Deadlock{"ShuffleOfHalfAWarp",
                    "if (lane() < 16) data[0] = shuffle_xor(data[0], 1); else sync_block();",
                    {"thread 0 of block 0 waits in a shuffle", "thread 16 of block 0 waits at sync_block()"}},
           Deadlock{"ReturnBeforeAShuffle",
                    "if (thread_index() == 5) return; data[thread_index()] = shuffle_xor(data[0], 1);",
                    {"thread 0 of block 0 waits in a shuffle", "33 of 64 threads have returned"}},
           Deadlock{"BytesThatNobodySends",
                    "static Arrivals arrivals; if (thread_index() == 0) expect_bytes(&arrivals, 4); "
                    "sync_block(); wait_for_bytes(&arrivals);",
                    {"thread 0 of block 0 waits for bytes that nobody sends (and 63 more)"}},
           Deadlock{"WarpBarriersWithDifferentMasks",
                    "if (lane() < 16) { sync_warp(0xffffu); sync_block(); } else sync_warp();",
                    {"thread 0 of block 0 waits at sync_block() (and 31 more)",
                     "thread 16 of block 0 waits at sync_warp() (and 31 more)"}}),
    [](const auto& parameter) { return parameter.param.name; });

TEST_P(EmulatedDeadlocks, AreReportedAndTheDeviceGoesOn) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    PlantedKernel kernel(
        "BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) { if (n == 64) return; " + GetParam().body + " }",
        seed == 0 ? EmulatedOptions{} : options_seeded(seed));
    for (int again = 0; again < 2; ++again) {
      const std::string sentence = kernel.failure(Data(65, 0), launch_of(1, 64));
      EXPECT_TRUE(says(sentence, "bitune::planted deadlocks")) << sentence;
      for (const std::string& part : GetParam().parts) EXPECT_TRUE(says(sentence, part)) << sentence;
      EXPECT_EQ(kernel.failure(Data(64, 0), launch_of(3, 64)), "");
    }
  }
}

TEST(EmulatedRules, ALaunchWaitsBeforeItLetsTheNextOneBegin) {
  Launch dependent = launch_of(2, 32);
  dependent.dependent = true;
  const auto failure = [](const std::string& body, const Launch& launch) {
    return PlantedKernel("BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) { " + body + " }")
        .failure(Data(1, 0), launch);
  };
  EXPECT_EQ(failure("wait_for_previous_launch(); allow_next_launch();", dependent), "");
  EXPECT_EQ(failure("if (block_index() == 1) wait_for_previous_launch();", dependent), "");
  EXPECT_TRUE(says(failure("allow_next_launch(); wait_for_previous_launch();", launch_of(2, 32)),
                   "lets the next launch begin before it has waited"));
  EXPECT_TRUE(says(failure("", dependent), "no thread of it waits for the launch before"));
}

TEST(EmulatedRules, BreakingOneNamesTheThread) {
  const auto failure = [](const std::string& body) {
    PlantedKernel kernel("BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) { if (thread_index() == 7) { " +
                         body + " } sync_block(); }");
    return kernel.failure(Data(64, 0), launch_of(1, 32, 64));
  };
  const std::string unaligned = failure("u32 pair[2]; load_vector(data + 1, pair);");
  EXPECT_TRUE(says(unaligned, "thread 7 of block 0 made a vector access that is not aligned")) << unaligned;
  EXPECT_TRUE(says(failure("u32 four[4] = {}; store_vector(data + 2, four);"), "not aligned"));
  EXPECT_TRUE(says(
      failure("cp_async(reinterpret_cast<u64*>(shared_memory<u32>() + 1), reinterpret_cast<u64*>(data));"),
      "not aligned"));
  EXPECT_TRUE(says(failure("sync_warp(1);"), "does not name its lane"));
  EXPECT_TRUE(says(failure("sync_part(0, 16);"), "are not whole warps of its block and its own"));
  EXPECT_TRUE(says(failure("sync_part(1, 32);"), "are not whole warps of its block and its own"));
  EXPECT_TRUE(says(failure("sync_part(0, 32);"), "thread 7 of block 0 waits at sync_part(), "));
  EXPECT_TRUE(says(failure("shared_of_rank(shared_memory<u32>(), 1);"), "outside its cluster"));
  EXPECT_TRUE(says(failure("data[0] = u32(shuffle(u64{1}, 0));"), "deadlocks"));
  const std::string unexpected = failure(
      "auto* arrivals = shared_memory<Arrivals>(); expect_bytes(arrivals, 4); "
      "send_to_rank(reinterpret_cast<u64*>(arrivals + 1), arrivals, 0, u64{1});");
  EXPECT_TRUE(says(unexpected, "thread 7 of block 0 sends more bytes than the other block expects"))
      << unexpected;
}

TEST(EmulatedRules, ShufflesOfDifferentWidthsAreReported) {
  PlantedKernel kernel(R"(BITUNE_KERNEL(32, 0) planted(u32* data, u64 n) {
    if (lane() < 16) data[0] = shuffle(u32{1}, 0); else data[1] = u32(shuffle(u64{1}, 0));
  })");
  EXPECT_TRUE(says(kernel.failure(Data(2, 0), launch_of(1, 32)), "another number of bytes"));
}

TEST(EmulatedRules, AShuffleThatMeetsAVoteIsReported) {
  PlantedKernel kernel(R"(BITUNE_KERNEL(32, 0) planted(u32* data, u64 n) {
    if (lane() < 16) data[0] = shuffle(u32{1}, 0); else data[1] = lanes_where(true);
  })");
  EXPECT_TRUE(says(kernel.failure(Data(2, 0), launch_of(1, 32)), "lanes of its warp do something else"));
}

TEST(EmulatedRules, FailuresInOneOfManyBlocksEndTheLaunch) {
  EmulatedOptions options;
  options.host_threads = 3;
  PlantedKernel kernel(R"(BITUNE_KERNEL(64, 0) planted(u32* data, u64 n) {
    if (block_index() == 77 && thread_index() == 3) sync_cluster();
    sync_block();
  })",
                       options);
  for (int again = 0; again < 3; ++again) {
    const std::string sentence = kernel.failure(Data(1, 0), launch_of(200, 64));
    EXPECT_TRUE(says(sentence, "thread 3 of block 77 waits at sync_cluster()")) << sentence;
  }
}

}  // namespace
}  // namespace bitune::test
