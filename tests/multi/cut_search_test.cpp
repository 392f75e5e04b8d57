// Where runs are cut, found from samples: the same as from all keys.

#include "multi/cut_search.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "measure/inputs.hpp"
#include "measure/reference_call.hpp"
#include "model/key_type.hpp"
#include "model/problem_operands.hpp"
#include "multi/exact_cuts.hpp"
#include "multi/local_ranks.hpp"
#include "runtime/at_once.hpp"

namespace bitune::test {
namespace cut_search {
namespace {

using multi::CutSearch;

/// Runs one behind the other, each in order.
struct Runs {
  std::vector<std::byte> keys;
  std::vector<ElementRange> places;
  std::vector<std::uint64_t> lengths;
  KeyRules rules;

  Runs(const std::vector<std::uint64_t>& of, KeyType key, Order order, Distribution distribution)
      : lengths(of), rules{key, order, false} {
    for (std::size_t run = 0; run < of.size(); ++run) {
      std::vector<std::byte> one = make_keys(key, of[run], distribution, run + 1);
      const Problem problem{{.key = key, .order = order}, {.n = of[run]}};
      reference_call(problem, packed_operands(problem, one.data()));
      const std::uint64_t begin = keys.size() / size_of(key);
      places.push_back({begin, begin + of[run]});
      keys.insert(keys.end(), one.begin(), one.end());
    }
  }

  /// As ranks do it: in rounds, each of samples that are packed.
  [[nodiscard]] std::vector<std::uint64_t> cut(std::uint64_t rank, int& rounds) const {
    const std::size_t bytes = size_of(rules.key);
    CutSearch search(lengths, rank, rules, 8 * lengths.size());
    for (rounds = 0; !search.is_done(); ++rounds) {
      std::vector<std::byte> samples;
      std::vector<std::uint64_t> begins;
      for (std::size_t run = 0; run < lengths.size(); ++run) {
        begins.push_back(samples.size() / bytes);
        for (std::uint64_t i = 0; i < search.sample_count(run); ++i) {
          const std::uint64_t key = places[run].begin + search.first_sample(run) + i * search.spacing();
          EXPECT_LT(key, places[run].end);
          const std::byte* from = keys.data() + key * bytes;
          samples.insert(samples.end(), from, from + bytes);
        }
      }
      search.narrow(samples.data(), begins);
    }
    return search.cuts();
  }
};

TEST(CutSearch, FindsWhatAllKeysTell) {
  const std::vector<std::vector<std::uint64_t>> lengths = {
      {700, 700}, {0, 900, 0}, {1, 2000, 37, 500}, {90, 80, 70, 60, 50, 40, 30, 20}};
  for (const Distribution distribution : named_distributions) {
    for (const auto& of : lengths) {
      const Runs runs(of, KeyType::f32, Order::descending, distribution);
      std::uint64_t total = 0;
      for (const std::uint64_t length : of) total += length;
      for (std::uint64_t rank = 0; rank <= total; rank += 53) {
        int rounds = 0;
        auto expected = cut_runs(runs.keys.data(), runs.places, runs.rules, rank);
        for (std::size_t run = 0; run < of.size(); ++run) expected[run] -= runs.places[run].begin;
        EXPECT_EQ(runs.cut(rank, rounds), expected) << name_of(distribution) << " rank " << rank;
        EXPECT_LE(rounds, 12);
      }
    }
  }
}

TEST(CutSearch, IsWhatRanksDoTogether) {
  const std::vector<std::uint64_t> lengths = {1500, 0, 700};
  const std::vector<std::uint64_t> results = {10, 1490, 700};
  const Runs runs(lengths, KeyType::u16, Order::ascending, Distribution::few_distinct);
  const auto device = open_device("emulated");
  multi::LocalRanks meeting(3, std::chrono::hours(24));
  std::vector<std::vector<std::vector<std::uint64_t>>> cuts(3);
  at_once(3, 3, [&](std::uint64_t rank) {
    const multi::Cutting cutting{lengths, results, runs.rules, 24};
    const auto scratch = device->allocate(multi::sample_bytes(3, runs.rules.key, cutting.samples));
    const multi::SortedRun mine{
        device.get(), runs.keys.data() + runs.places[rank].begin * 2, {scratch->data(), scratch->size()}};
    const auto communicator = meeting.communicator(static_cast<int>(rank), *device);
    cuts[rank] = multi::find_cuts(*communicator, cutting, mine, nullptr);
  });
  ASSERT_EQ(cuts[0].size(), 4U);
  EXPECT_EQ(cuts[1], cuts[0]);
  EXPECT_EQ(cuts[2], cuts[0]);
  for (std::size_t to = 0; to < 4; ++to) {
    const std::uint64_t first = to == 0 ? 0 : to == 1 ? 10 : to == 2 ? 1500 : 2200;
    auto expected = cut_runs(runs.keys.data(), runs.places, runs.rules, first);
    for (std::size_t run = 0; run < 3; ++run) expected[run] -= runs.places[run].begin;
    EXPECT_EQ(cuts[0][to], expected);
  }
}

TEST(CutSearch, LooksAtNoKeyWhereAllOrNoneAreBefore) {
  const std::vector<std::uint64_t> lengths = {5, 0, 7};
  const CutSearch none(lengths, 0, {}, 24);
  const CutSearch all(lengths, 12, {}, 24);
  EXPECT_TRUE(none.is_done());
  EXPECT_TRUE(all.is_done());
  EXPECT_EQ(none.cuts(), (std::vector<std::uint64_t>{0, 0, 0}));
  EXPECT_EQ(all.cuts(), lengths);
}

}  // namespace
}  // namespace cut_search
}  // namespace bitune::test
