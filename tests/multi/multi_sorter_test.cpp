// Every operation over 1 to 8 emulated ranks. Lengths are such that few kernels have to be compiled.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/multi/several_ranks.hpp"

namespace bitune::test {
namespace multi_sorter {
namespace {

constexpr SortSpec keys{.key = KeyType::f32};
constexpr SortSpec pairs{
    .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 8, .stable = true};
constexpr SortSpec indices{.operation = Operation::argsort,
                           .key = KeyType::f32,
                           .index_bytes = 8,
                           .order = Order::descending,
                           .stable = true};
constexpr SortSpec first{.operation = Operation::top_k,
                         .key = KeyType::f32,
                         .index_bytes = 8,
                         .order = Order::descending,
                         .k = 20};

/// Equal, uneven, and with ranks that give nothing; all of at most 64 keys a rank.
std::vector<Numbers> lengths_for(std::size_t ranks) {
  Numbers uneven(ranks, 3);
  uneven[0] = 64;
  Numbers last(ranks, 0);
  last.back() = 61;
  return {Numbers(ranks, 40), uneven, last};
}

TEST(MultiSorter, SortsEveryDistributionOverOneToEightRanks) {
  for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
    MultiSorter sorter(emulated_ranks(ranks));
    ASSERT_EQ(sorter.ranks(), static_cast<int>(ranks));
    for (const Numbers& lengths : lengths_for(ranks)) {
      for (const Distribution distribution : named_distributions) {
        expect_right(sorter, keys, lengths, Numbers(ranks, equal_part), distribution);
      }
    }
  }
}

TEST(MultiSorter, SortsEveryKeyType) {
  MultiSorter sorter(emulated_ranks(3));
  for (const KeyType type : all_key_types) {
    const bool descending = static_cast<unsigned>(type) % 2 != 0;
    const SortSpec spec{.key = type, .order = descending ? Order::descending : Order::ascending};
    expect_right(sorter, spec, {40, 0, 40}, Numbers(3, equal_part), Distribution::special);
  }
}

TEST(MultiSorter, KeepsEqualKeysInTheOrderOfTheRanks) {
  for (const auto& [ranks, is_copied] :
       std::vector<std::pair<std::size_t, bool>>{{2, false}, {2, true}, {5, false}, {5, true}}) {
    MultiSorter sorter(emulated_ranks(ranks, is_copied));
    for (const Numbers& lengths : lengths_for(ranks)) {
      for (const Distribution distribution : {Distribution::few_distinct, Distribution::special}) {
        expect_right(sorter, pairs, lengths, Numbers(ranks, equal_part), distribution);
        expect_right(sorter, indices, lengths, Numbers(ranks, equal_part), distribution);
      }
    }
  }
}

/// Of a tile all upper halves may differ, or few may, or none. What is sorted elsewhere may be the first run,
/// or the second, and all that a rank gets. NaNs that carry values are in no order: then keys come whole.
TEST(MultiSorter, TakesHalvesOfKeys) {
  MultiSorter sorter(halving_ranks());
  for (const SortSpec& spec : {keys, indices}) {
    for (const Distribution distribution : named_distributions) {
      expect_right(sorter, spec, {3000, 6000}, Numbers(2, equal_part), distribution);
    }
    expect_right(sorter, spec, {40, 24}, Numbers(2, equal_part), Distribution::special);
    expect_right(sorter, spec, {0, 61}, Numbers(2, equal_part), Distribution::special);
  }
  for (const Numbers& results : {Numbers{1, 8999}, Numbers{5000, 4000}, Numbers{0, 9000}}) {
    expect_right(sorter, keys, {3000, 6000}, results, Distribution::random);
    expect_right(sorter, indices, {3000, 6000}, results, Distribution::few_distinct);
  }
}

/// Values come by pieces of 16 bytes, from where they begin and to where they end.
TEST(MultiSorter, TakesValuesOfAnyWidthWithHalvesOfKeys) {
  MultiSorter sorter(halving_ranks());
  for (const std::uint32_t value_bytes : {1U, 2U, 16U}) {
    const SortSpec spec{.operation = Operation::sort_pairs,
                        .key = KeyType::u32,
                        .value_bytes = value_bytes,
                        .order = Order::descending,
                        .stable = true};
    expect_right(sorter, spec, {2999, 6002}, Numbers(2, equal_part), Distribution::random);
  }
}

/// Each upper half begins behind some thousand keys.
TEST(MultiSorter, TakesHalvesOfNeighbouringKeys) {
  MultiSorter sorter(halving_ranks());
  const SortSpec spec{.key = KeyType::u32};
  RanksCall call(spec, {100'000, 100'000}, Numbers(2, equal_part), Distribution::sorted);
  static_cast<void>(sorter.run(spec, call.parts()));
  EXPECT_EQ(call.fault().value_or(""), "");
}

TEST(MultiSorter, GivesTheFirstKeysToThoseThatAsk) {
  MultiSorter sorter(emulated_ranks(3));
  for (const Distribution distribution : {Distribution::few_distinct, Distribution::special}) {
    expect_right(sorter, first, {40, 0, 64}, {20, 0, equal_part}, distribution);
    expect_right(sorter, first, {10, 10, 10}, {equal_part, equal_part, 0}, distribution);
  }
}

TEST(MultiSorter, GivesEachRankWhatItAsksFor) {
  for (const bool is_copied : {false, true}) {
    MultiSorter sorter(emulated_ranks(4, is_copied));
    expect_right(sorter, keys, {40, 40, 40, 40}, {0, 64, equal_part, equal_part}, Distribution::random);
    expect_right(sorter, keys, {40, 40, 0, 40}, {60, 0, 0, 60}, Distribution::all_equal);
  }
}

/// Workspaces of the caller's, which other ranks do not read: pieces are copied.
class Workspaces {
 public:
  void give(MultiSorter& sorter, const SortSpec& spec, std::vector<MultiPart>& parts, RanksCall& call) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const std::uint64_t bytes = sorter.workspace_size(spec, parts[rank].n, call.result_of(rank));
      ASSERT_EQ(bytes % sizeof(Line), 0U);
      auto& lines = memory_.emplace_back(bytes / sizeof(Line) + 1);
      parts[rank].operands[Role::workspace] = {lines.data(), bytes, 0};
    }
  }

 private:
  struct alignas(256) Line {
    std::byte bytes[256];
  };
  std::vector<std::vector<Line>> memory_;
};

TEST(MultiSorter, CopiesWhatOthersDoNotReach) {
  for (const std::size_t ranks : {1U, 2U, 3U, 8U}) {
    MultiSorter sorter(emulated_ranks(ranks));
    const Numbers lengths = lengths_for(ranks)[1];
    for (const SortSpec& spec : {keys, pairs, indices, first}) {
      RanksCall call(spec, lengths, Numbers(ranks, equal_part), Distribution::special);
      auto parts = call.parts();
      Workspaces workspaces;
      workspaces.give(sorter, spec, parts, call);
      static_cast<void>(sorter.run(spec, parts));
      EXPECT_EQ(call.fault().value_or(""), "") << ranks << " ranks";
    }
  }
}

TEST(MultiSorter, TellsWhatCameFromOthers) {
  MultiSorter reader(emulated_ranks(2));
  MultiSorter copier(emulated_ranks(2, true));
  MultiSorter halver(halving_ranks());
  const auto received = [&](MultiSorter& sorter, Distribution distribution, bool with_workspaces) {
    RanksCall call(keys, {40, 40}, {equal_part, equal_part}, distribution);
    auto parts = call.parts();
    Workspaces workspaces;
    if (with_workspaces) workspaces.give(sorter, keys, parts, call);
    const auto results = sorter.run(keys, parts);
    return Numbers{results[0].received_bytes, results[1].received_bytes};
  };
  for (const bool with_workspaces : {false, true}) {
    for (MultiSorter* const sorter : {&reader, &copier}) {
      EXPECT_EQ(received(*sorter, Distribution::sorted, with_workspaces), (Numbers{0, 0}));
      EXPECT_EQ(received(*sorter, Distribution::reversed, with_workspaces), (Numbers{160, 160}));
      EXPECT_EQ(received(*sorter, Distribution::random, with_workspaces),
                received(reader, Distribution::random, false));
    }
  }
  EXPECT_EQ(received(halver, Distribution::reversed, false), (Numbers{80, 80}));
}

TEST(MultiSorter, SortsArraysOfTheHost) {
  MultiSorter sorter(emulated_ranks(3));
  for (const std::uint64_t n : {2U, 100U}) {
    for (const SortSpec& spec : {keys, pairs, indices}) {
      RanksCall call(spec, {n}, {equal_part}, Distribution::special);
      const auto results = sorter.run_host({spec, {.n = n}}, call.parts()[0].operands);
      EXPECT_EQ(call.fault().value_or(""), "") << n << " keys";
      EXPECT_EQ(results[1].first, (n + 2) / 3);
      EXPECT_EQ(results[2].count, n / 3);
    }
  }
  std::vector<float> in_place = {3, 1, 2, 0, 5};
  Operands operands;
  operands[Role::keys_out] = {in_place.data(), in_place.size(), 0};
  static_cast<void>(sorter.run_host({keys, {.n = in_place.size()}}, operands));
  EXPECT_EQ(in_place, (std::vector<float>{0, 1, 2, 3, 5}));
  EXPECT_THROW(static_cast<void>(sorter.run_host({keys, {.n = 2, .rows = 2}}, operands)), Error);
}

TEST(MultiSorter, WorksInPlace) {
  MultiSorter sorter(emulated_ranks(2));
  RanksCall call(keys, {40, 40}, {equal_part, equal_part}, Distribution::random);
  auto parts = call.parts();
  for (MultiPart& part : parts) {  // the keys are where the result is to be
    std::copy_n(static_cast<const std::byte*>(part.operands[Role::keys_in].data), 40 * 4,
                static_cast<std::byte*>(part.operands[Role::keys_out].data));
    part.operands[Role::keys_in] = {};
  }
  static_cast<void>(sorter.run(keys, parts));
  EXPECT_EQ(call.fault().value_or(""), "");
}

/// What a call is refused with.
std::string refusal(MultiSorter& sorter, const SortSpec& spec, const std::vector<MultiPart>& parts) {
  try {
    static_cast<void>(sorter.run(spec, parts));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "nothing";
}

TEST(MultiSorter, RefusesWhatDoesNotFitAndGoesOn) {
  MultiSorter sorter(emulated_ranks(2));
  const auto says = [&](const SortSpec& spec, const std::vector<MultiPart>& parts, const std::string& words) {
    const std::string said = refusal(sorter, spec, parts);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  RanksCall call(keys, {40, 40}, {equal_part, equal_part}, Distribution::random);
  auto parts = call.parts();
  says(keys, {parts[0]}, "1 parts were given for 2 ranks");
  parts[1].result = 39;
  parts[0].result = 40;
  says(keys, parts, "give 80 keys and ask for 79");
  parts = call.parts();
  parts[1].operands[Role::keys_out].elements = 39;
  says(keys, parts, "rank 1 of 2 cannot take part");
  SortSpec narrow = indices;
  narrow.index_bytes = 4;
  says(narrow, call.parts(), "have 8 bytes, not 4");
  SortSpec many = first;
  many.k = 81;
  says(many, call.parts(), "k is 81");
  expect_right(sorter, keys, {40, 40}, {equal_part, equal_part}, Distribution::random);
  EXPECT_THROW(MultiSorter(MultiOptions{}), Error);
}

}  // namespace
}  // namespace multi_sorter
}  // namespace bitune::test
