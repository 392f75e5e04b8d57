// Ranks that fail, disagree or do not come: each of the others gets an Error, and none waits for ever.

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "multi/agreement.hpp"
#include "multi/local_ranks.hpp"
#include "multi/rank_call.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/multi/failing_ranks.hpp"
#include "tests/multi/several_ranks.hpp"

namespace bitune::test {
namespace multi_faults {
namespace {

using multi::Communicator;
using multi::LocalRanks;
using multi::RankDevice;

constexpr std::chrono::milliseconds for_ever = std::chrono::hours(24);
constexpr SortSpec keys{.key = KeyType::f32};

class MultiFaults : public ::testing::Test {
 protected:
  static RankDevice& device() {
    static RankDevice one([] {
      SorterOptions options;
      options.device = "emulated";
      options.database = "no-such-folder/none.db";
      return open_engine(options);
    }());
    return one;
  }

  static std::deque<multi::RankStore> stores_of(std::size_t ranks, const multi::CopyRules& rules = {}) {
    std::deque<multi::RankStore> stores;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      stores.emplace_back(device().device(), [rules](std::uint64_t) { return rules; });
    }
    return stores;
  }

  /// Calls work(rank) on a thread for each rank. Returns what each throws; empty where it throws nothing.
  template <class Work>
  static std::vector<std::string> errors_of(int ranks, const Work& work) {
    std::vector<std::string> errors(static_cast<std::size_t>(ranks));
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(rank);
        } catch (const Error& error) {
          errors[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
    threads.clear();
    return errors;
  }

  /// Rank 1 fails when ranks that read each other's memory have gathered so many times.
  static void expect_end_of_all(const std::vector<std::uint64_t>& lengths, int calls,
                                const multi::CopyRules& rules) {
    const auto ranks = static_cast<int>(lengths.size());
    LocalRanks meeting(ranks, for_ever, true);
    const std::vector<std::uint64_t> equal(lengths.size(), equal_part);
    RanksCall call(keys, lengths, equal, Distribution::random);
    const auto parts = call.parts();
    auto stores = stores_of(lengths.size(), rules);  // kept until none reads them
    const auto errors = errors_of(ranks, [&](int rank) {
      const auto i = static_cast<std::size_t>(rank);
      const auto inner = meeting.communicator(rank, device().device());
      FailingRank failing(*inner, calls);
      Communicator& communicator = rank == 1 ? failing : *inner;
      static_cast<void>(run_rank(device(), stores[i], communicator, keys, parts[i]));
    });
    for (const std::string& error : errors) EXPECT_TRUE(says(error, "the link is down")) << error;
    EXPECT_EQ(meeting.ended_by(), 1);
  }

  static bool says(const std::string& error, const std::string& words) {
    return error.find(words) != std::string::npos;
  }
};

/// Terms, preparing, where keys lie, two searches of cuts, and that all have read.
TEST_F(MultiFaults, ARankThatFailsWhileOthersReadItsKeysEndsAll) {
  for (int calls = 2; calls <= 3; ++calls) expect_end_of_all({40, 40}, calls, {});
  for (int calls = 2; calls <= 4; ++calls) expect_end_of_all({40, 40, 40}, calls, {});
}

/// Terms, preparing, where keys lie, where halves of them do, and that all have read.
TEST_F(MultiFaults, ARankThatFailsWhileKeysAreHalvedEndsAll) {
  constexpr std::uint64_t never = multi::CopyRules::never;
  for (int calls = 2; calls <= 4; ++calls) {
    expect_end_of_all({40, 40}, calls, {.split_from_bytes = never, .halved_from_bytes = 0});
  }
}

/// Terms, preparing, samples, where keys lie, counts of four launches, and that all have read.
TEST_F(MultiFaults, ARankThatFailsWhileKeysAreSplitEndsAll) {
  for (int calls = 2; calls <= 8; ++calls) {
    expect_end_of_all({1000, 1000}, calls, {.split_from_bytes = 0});
  }
}

/// Splitting takes about three times the keys. One rank has memory for merging alone: then all merge.
TEST_F(MultiFaults, WhereARankHasNoMemoryToSplitAllMerge) {
  emulated::EmulatedOptions options;
  options.memory_bytes = 30000;
  const auto small = make_emulated_device(options);
  const multi::CopyRules rules{.split_from_bytes = 0};
  for (const bool is_small : {false, true}) {
    LocalRanks meeting(2, for_ever, true);
    RanksCall call(keys, {2000, 2000}, {equal_part, equal_part}, Distribution::random);
    const auto parts = call.parts();
    auto stores = stores_of(1, rules);
    stores.emplace_back(is_small ? *small : device().device(), [&](std::uint64_t) { return rules; });
    std::vector<MultiResult> results(2);
    const auto errors = errors_of(2, [&](int rank) {
      const auto i = static_cast<std::size_t>(rank);
      const auto communicator = meeting.communicator(rank, device().device());
      results[i] = run_rank(device(), stores[i], *communicator, keys, parts[i]);
    });
    EXPECT_EQ(errors, std::vector<std::string>(2));
    EXPECT_EQ(call.fault().value_or(""), "");
    for (const MultiResult& result : results) EXPECT_EQ(result.merge_us > 0, is_small);
  }
}

TEST_F(MultiFaults, ARankThatFailsEndsAll) {
  LocalRanks meeting(3, for_ever);
  RanksCall call(keys, {40, 40, 40}, {equal_part, equal_part, equal_part}, Distribution::random);
  const auto parts = call.parts();
  auto stores = stores_of(3);
  const auto errors = errors_of(3, [&](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    const auto inner = meeting.communicator(rank, device().device());
    FailingRank failing(*inner, FailingRank::at_exchange);
    Communicator& communicator = rank == 1 ? failing : *inner;
    static_cast<void>(run_rank(device(), stores[i], communicator, keys, parts[i]));
  });
  EXPECT_EQ(errors[1], "the link is down");
  EXPECT_EQ(errors[0], "rank 1 of 3 ended the work of all: the link is down");
  EXPECT_EQ(errors[2], errors[0]);
  EXPECT_EQ(meeting.ended_by(), 1);
}

TEST_F(MultiFaults, RanksThatDisagreeAllSaySoAndMayGoOn) {
  LocalRanks meeting(4, for_ever);
  const auto errors = errors_of(4, [&](int rank) {
    const auto communicator = meeting.communicator(rank, device().device());
    SortSpec spec = keys;
    if (rank == 2) spec.key = KeyType::u64;
    EXPECT_THROW(static_cast<void>(multi::agree(*communicator, spec, 10, equal_part, true)),
                 multi::AgreedError);
    const multi::Terms terms = multi::agree(*communicator, keys, 10, equal_part, true);
    EXPECT_EQ(terms.total(), 40U);
    static_cast<void>(multi::agree(*communicator, keys, rank == 0 ? ~std::uint64_t{0} : 1, equal_part, true));
  });
  for (const std::string& error : errors) {
    EXPECT_TRUE(says(error, "rank 0 gives 18446744073709551615 keys")) << error;
  }
  EXPECT_FALSE(meeting.ended_by().has_value());
}

TEST_F(MultiFaults, ARankThatCannotTakePartIsNamedToAll) {
  LocalRanks meeting(3, for_ever);
  const auto errors = errors_of(3, [&](int rank) {
    const auto communicator = meeting.communicator(rank, device().device());
    static_cast<void>(multi::prepare_together(*communicator, [&]() -> std::uint64_t {
      if (rank == 2) throw std::bad_alloc();
      return 0;
    }));
  });
  for (const std::string& error : errors) {
    EXPECT_EQ(error, "rank 2 of 3 cannot take part: the host has no memory left");
  }
}

TEST_F(MultiFaults, ARankThatNeverComesEndsTheOthers) {
  LocalRanks meeting(3, std::chrono::milliseconds(0));
  const auto errors = errors_of(2, [&](int rank) {
    const auto communicator = meeting.communicator(rank, device().device());
    static_cast<void>(multi::agree(*communicator, keys, 10, equal_part, true));
  });
  for (const std::string& error : errors) EXPECT_TRUE(says(error, "did not come within 0 ms")) << error;
  EXPECT_TRUE(meeting.ended_by().has_value());
}

TEST_F(MultiFaults, WhoComesAfterTheEndHearsOfIt) {
  LocalRanks meeting(2, for_ever);
  meeting.communicator(0, device().device())->abort(ErrorCode::cancelled, "stopped");
  const auto errors = errors_of(2, [&](int rank) {
    const auto communicator = meeting.communicator(rank, device().device());
    static_cast<void>(multi::agree(*communicator, keys, 10, equal_part, true));
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "rank 0 of 2 ended the work of all: stopped");
}

}  // namespace
}  // namespace multi_faults
}  // namespace bitune::test
