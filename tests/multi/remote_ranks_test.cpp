// A rank a process: communicators of a library that has NCCL's entry points, a thread for each process.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "multi/rank_call.hpp"
#include "multi/remote/remote_ranks.hpp"
#include "tests/multi/failing_ranks.hpp"
#include "tests/multi/several_ranks.hpp"

namespace bitune::test {
namespace remote_ranks {
namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr std::chrono::milliseconds for_ever = std::chrono::hours(24);
constexpr SortSpec keys{.key = KeyType::f32};
constexpr SortSpec pairs{
    .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 8, .stable = true};
constexpr SortSpec indices{.operation = Operation::argsort,
                           .key = KeyType::u16,
                           .index_bytes = 8,
                           .order = Order::descending,
                           .stable = true};
constexpr SortSpec first{.operation = Operation::top_k, .key = KeyType::f32, .index_bytes = 8, .k = 20};

class RemoteRanks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("BITUNE_NCCL", BITUNE_FAKE_NCCL, 1); }

  static std::vector<void*> communicators(std::size_t ranks) {
    void* const library = dlopen(BITUNE_FAKE_NCCL, RTLD_NOW);
    EXPECT_NE(library, nullptr);
    const auto make = reinterpret_cast<void (*)(int, void**)>(dlsym(library, "fake_nccl_make"));
    std::vector<void*> made(ranks);
    make(static_cast<int>(ranks), made.data());
    return made;
  }

  static std::vector<MultiSorter> sorters(const std::vector<void*>& communicators,
                                          std::chrono::milliseconds time_limit = for_ever,
                                          std::uint64_t split_from_bytes = 0) {
    std::vector<MultiSorter> sorters;
    for (void* const communicator : communicators) {
      MultiOptions options = emulated_ranks(1);
      options.communicator = communicator;
      options.time_limit = time_limit;
      options.split_from_bytes = split_from_bytes;
      sorters.emplace_back(options);
    }
    return sorters;
  }

  /// What each rank's work throws; empty where it throws nothing.
  static std::vector<std::string> errors_of(std::size_t ranks, const std::function<void(std::size_t)>& work) {
    std::vector<std::string> errors(ranks);
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          work(rank);
        } catch (const Error& error) {
          errors[rank] = error.what();
        }
      });
    }
    threads.clear();
    return errors;
  }

  static void expect_right(std::vector<MultiSorter>& sorters, const SortSpec& spec, const Numbers& lengths,
                           Distribution distribution) {
    expect_right(sorters, spec, lengths, Numbers(lengths.size(), equal_part), distribution,
                 [](const MultiResult&) {});
  }

  /// look: at what each rank tells.
  template <class Look>
  static void expect_right(std::vector<MultiSorter>& sorters, const SortSpec& spec, const Numbers& lengths,
                           const Numbers& results, Distribution distribution, const Look& look) {
    RanksCall call(spec, lengths, results, distribution);
    const auto parts = call.parts();
    const auto errors = errors_of(sorters.size(), [&](std::size_t rank) {
      const auto told = sorters[rank].run(spec, {parts[rank]});
      EXPECT_EQ(told.at(0).count, call.result_of(rank));
      look(told.at(0));
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
    EXPECT_EQ(call.fault().value_or(""), "") << lengths.size() << " ranks, " << name_of(distribution);
  }

  static void expect_all_say(const std::vector<std::string>& errors, const std::string& words) {
    for (const std::string& error : errors) EXPECT_NE(error.find(words), std::string::npos) << error;
  }
};

TEST_F(RemoteRanks, DoWhatRanksOfAProcessDo) {
  for (const Numbers& lengths : {Numbers{61}, Numbers{64, 0}, Numbers{3, 64, 0, 40}}) {
    auto ranks = sorters(communicators(lengths.size()));
    EXPECT_EQ(ranks.back().ranks(), static_cast<int>(lengths.size()));
    EXPECT_EQ(ranks.back().first_rank(), static_cast<int>(lengths.size()) - 1);
    for (const SortSpec& spec : {keys, pairs, indices, first}) {
      for (const Distribution distribution :
           {Distribution::random, Distribution::all_equal, Distribution::reversed, Distribution::special}) {
        expect_right(ranks, spec, lengths, distribution);
      }
    }
    Numbers sums(lengths.size());
    errors_of(lengths.size(), [&](std::size_t rank) { sums[rank] = ranks[rank].sum(lengths[rank]); });
    for (const std::uint64_t sum : sums) EXPECT_EQ(sum, std::accumulate(lengths.begin(), lengths.end(), 0U));
  }
}

/// Keys are sent away before they are sorted: what merges takes time to merge.
TEST_F(RemoteRanks, SendKeysAwayBeforeTheySort) {
  const auto is_split = [](const MultiResult& told) { EXPECT_EQ(told.merge_us, 0) << "a rank merged"; };
  const SortSpec wide{.operation = Operation::sort_pairs,
                      .key = KeyType::f16,
                      .value_bytes = 16,
                      .order = Order::descending,
                      .stable = true};
  struct Case {
    Numbers lengths;
    Numbers results;
    SortSpec spec;
    std::vector<Distribution> distributions;
  };
  const Numbers two_equal(2, equal_part);
  for (const auto& [lengths, results, spec, distributions] :
       {Case{{1501, 1500},
             two_equal,
             keys,
             {Distribution::random, Distribution::all_equal, Distribution::reversed}},
        Case{{1501, 1500}, two_equal, wide, {Distribution::few_distinct}},
        Case{{1501, 1500}, two_equal, indices, {Distribution::special, Distribution::random}},
        Case{{2000, 0}, {0, 2000}, wide, {Distribution::random}},
        Case{{3000, 0, 1}, {900, equal_part, equal_part}, indices, {Distribution::few_distinct}},
        Case{Numbers(5, 700),
             Numbers(5, equal_part),
             keys,
             {Distribution::special, Distribution::all_equal}}}) {
    auto ranks = sorters(communicators(lengths.size()), for_ever, 1);
    for (const Distribution distribution : distributions)
      expect_right(ranks, spec, lengths, results, distribution, is_split);
  }
}

/// If one rank would not send, or has a workspace of the caller's, all merge.
TEST_F(RemoteRanks, MergeWhereNotAllSendKeysAway) {
  const auto made = communicators(2);
  auto ranks = sorters(made, for_ever, 1);
  RanksCall call(keys, {1500, 1500}, {equal_part, equal_part}, Distribution::random);
  auto parts = call.parts();
  const auto expect_merged = [&] {
    const auto errors = errors_of(2, [&](std::size_t rank) {
      EXPECT_GT(ranks[rank].run(keys, {parts[rank]}).at(0).merge_us, 0) << "a rank did not merge";
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
    EXPECT_EQ(call.fault().value_or(""), "");
  };
  std::vector<std::byte> workspace(ranks[1].workspace_size(keys, 1500, 1500) + 256);
  parts[1].operands[Role::workspace] = {workspace.data(), workspace.size(), 0};
  expect_merged();
  parts[1].operands[Role::workspace] = {};
  MultiOptions options = emulated_ranks(1);
  options.communicator = made[1];
  ranks[1] = MultiSorter(options);
  expect_merged();
}

/// What cuts are found from does not fit one block.
TEST_F(RemoteRanks, SendLongMessages) {
  auto ranks = sorters(communicators(2));
  expect_right(ranks, keys, {6000, 5000}, Distribution::random);
}

TEST_F(RemoteRanks, RefuseTogetherAndGoOn) {
  auto ranks = sorters(communicators(3));
  const Numbers equal(3, equal_part);
  RanksCall call(keys, {40, 40, 40}, equal, Distribution::random);
  auto parts = call.parts();
  expect_all_say(
      errors_of(3, [&](std::size_t rank) { ranks[rank].run(rank == 1 ? pairs : keys, {parts[rank]}); }),
      "rank 1 was asked to do something else");
  parts[2].operands[Role::keys_out].elements = 3;
  expect_all_say(errors_of(3, [&](std::size_t rank) { ranks[rank].run(keys, {parts[rank]}); }),
                 "rank 2 of 3 cannot take part");
  expect_right(ranks, keys, {40, 40, 40}, Distribution::random);
}

/// Wherever it does, and whether they merge or send keys away first: each of the others hears why, and the
/// next call goes on.
TEST_F(RemoteRanks, HearOfOneThatFails) {
  SorterOptions options;
  options.device = "emulated";
  options.database = "no-such-folder/none.db";
  multi::RankDevice device(open_engine(options));
  const auto made = communicators(2);
  for (const bool sends : {false, true}) {
    std::vector<std::unique_ptr<multi::RemoteRanks>> ranks;
    std::vector<std::unique_ptr<multi::RankStore>> stores;
    for (void* const communicator : made) {
      multi::NcclLink link(communicator, device.device(), for_ever);
      ranks.push_back(std::make_unique<multi::RemoteRanks>(std::move(link)));
      stores.push_back(std::make_unique<multi::RankStore>(device.device(), [sends](std::uint64_t) {
        return multi::CopyRules{.split_from_bytes = sends ? 0 : multi::CopyRules::never};
      }));
    }
    std::vector<int> steps = {0, 1, 2, 3, FailingRank::at_exchange};
    if (sends) steps.push_back(FailingRank::at_exchange_beside);
    for (const int step : steps) {
      RanksCall call(keys, {1500, 1500}, {equal_part, equal_part}, Distribution::random);
      const auto parts = call.parts();
      const auto errors = errors_of(2, [&](std::size_t rank) {
        ranks[rank]->begin_call();
        FailingRank failing(*ranks[rank], step);
        multi::Communicator& communicator =
            rank == 1 ? failing : static_cast<multi::Communicator&>(*ranks[rank]);
        static_cast<void>(multi::run_rank(device, *stores[rank], communicator, keys, parts[rank]));
      });
      EXPECT_EQ(errors[0].find("rank 1 of 2 "), 0U) << step << ": " << errors[0];
      expect_all_say(errors, "the link is down");
    }
  }
}

TEST_F(RemoteRanks, EndWhereOneDies) {
  const auto made = communicators(3);
  auto ranks = sorters(made);
  const auto call = [&](std::size_t rank) { static_cast<void>(ranks[rank].sum(1)); };
  void* const library = dlopen(BITUNE_FAKE_NCCL, RTLD_NOW);
  const auto die = reinterpret_cast<int (*)(void*)>(dlsym(library, "ncclCommAbort"));
  const auto errors =
      errors_of(3, [&](std::size_t rank) { rank == 2 ? static_cast<void>(die(made[2])) : call(rank); });
  EXPECT_EQ(errors[2], "");
  expect_all_say({errors[0], errors[1]}, "remote process exited");
  expect_all_say(errors_of(2, call), "was aborted when a call failed");
}

TEST_F(RemoteRanks, EndWhereOneDoesNotCome) {
  auto ranks = sorters(communicators(2), std::chrono::milliseconds(0));
  expect_all_say(errors_of(1, [&](std::size_t rank) { static_cast<void>(ranks[rank].sum(1)); }),
                 "rank 0 of 2: the others did not come within 0 ms");
}

TEST_F(RemoteRanks, RefuseWhatIsOfOneProcess) {
  auto ranks = sorters(communicators(1));
  RanksCall call(keys, {5}, {equal_part}, Distribution::random);
  EXPECT_THROW(static_cast<void>(ranks[0].run_host({keys, {.n = 5}}, call.parts()[0].operands)), Error);
  MultiOptions two = emulated_ranks(2);
  two.communicator = communicators(1)[0];
  EXPECT_THROW(MultiSorter sorter(two), Error);
}

}  // namespace
}  // namespace remote_ranks
}  // namespace bitune::test
