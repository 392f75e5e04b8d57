// Selection of configurations for pairs, argsort and sorts with indices: neighbours serve what was not tuned.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/runtime/selection_support.hpp"

namespace bitune {
namespace {

using namespace selecting;

constexpr std::uint64_t length = 1 << 20;

Problem pairs(std::uint32_t value_bytes, bool stable = true) {
  return {{.operation = Operation::sort_pairs, .value_bytes = value_bytes, .stable = stable}, {.n = length}};
}

Problem argsort(std::uint32_t index_bytes) {
  return {{.operation = Operation::argsort, .index_bytes = index_bytes, .stable = true}, {.n = length}};
}

Problem of_length(Problem problem, std::uint64_t n) {
  problem.n = n;
  return problem;
}

/// A trial of radix_pairs. The number tells the candidates apart, by the items of a thread.
Candidate tuned(int number, const Problem& problem, double median_us = 10) {
  Candidate candidate = trial(number, test::h200(), problem, median_us);
  candidate.configuration = variant("radix_pairs").default_configuration(problem, test::h200());
  candidate.configuration.parameters["block_size_x"] = 256;
  candidate.configuration.parameters["items_per_thread"] = 4 * number - 9;
  return candidate;
}

Selection chosen(const Problem& problem, const std::vector<Candidate>& user,
                 const std::vector<Candidate>& shipped = {}) {
  return select_among(problem, test::h200(), {user, shipped}, variants(), today);
}

std::int64_t number_of(const Selection& selection) {
  return selection.match == MatchKind::defaulted ? 0
                                                 : (selection.configuration.at("items_per_thread") + 9) / 4;
}

TEST(SelectionOfOperations, ItsOwnTuningsGoFirst) {
  const Selection selection =
      chosen(pairs(8), {tuned(4, pairs(4)), tuned(5, argsort(8)), tuned(6, pairs(8)), tuned(7, pairs(16))});
  EXPECT_EQ(number_of(selection), 6);
  EXPECT_EQ(selection.match, MatchKind::exact);
  EXPECT_EQ(selection.reason, "tuned on this device for this problem");
}

TEST(SelectionOfOperations, PairsByPairsOfTheNearestWidth) {
  const std::vector<Candidate> user = {tuned(4, pairs(1)), tuned(5, pairs(4)), tuned(6, argsort(8))};
  const Selection selection = chosen(pairs(8), user);
  EXPECT_EQ(number_of(selection), 5);
  EXPECT_EQ(selection.match, MatchKind::near_size);
  EXPECT_EQ(selection.expected_us, std::nullopt);
  EXPECT_EQ(selection.reason,
            "tuned on this device for n=2^20, the same size; tuned for values of 4 bytes, used for 8");
  EXPECT_EQ(number_of(chosen(pairs(2), user)), 5)
      << "the wider one, if both are as far" << chosen(pairs(2), user).reason;
}

TEST(SelectionOfOperations, ArgsortAndPairsServeEachOther) {
  const Selection indices = chosen(argsort(4), {tuned(4, pairs(4)), tuned(5, pairs(16))});
  EXPECT_EQ(number_of(indices), 4);
  EXPECT_EQ(indices.reason,
            "tuned on this device for n=2^20, the same size; tuned for sort_pairs with values of 4 bytes, "
            "used for argsort with indices of 4 bytes");
  EXPECT_EQ(number_of(chosen(pairs(4), {tuned(4, argsort(8)), tuned(5, argsort(4))})), 5);
  const Problem with_indices{{.index_bytes = 4, .stable = true}, {.n = length}};
  EXPECT_EQ(number_of(chosen(with_indices, {tuned(4, pairs(4))})), 4);
}

TEST(SelectionOfOperations, KeysAloneServeNobodyElse) {
  const Problem keys{{}, {.n = length}};
  EXPECT_EQ(chosen(pairs(4), {trial(4, test::h200(), keys)}).match, MatchKind::defaulted);
  EXPECT_EQ(chosen(keys, {tuned(4, pairs(4))}).match, MatchKind::defaulted);
}

TEST(SelectionOfOperations, StableServesWhatNeedNotBe) {
  const Selection selection = chosen(pairs(4, false), {tuned(4, pairs(4, true))});
  EXPECT_EQ(number_of(selection), 4);
  EXPECT_EQ(
      selection.reason,
      "tuned on this device for n=2^20, the same size; tuned for a stable sort, which this need not be");
  EXPECT_EQ(chosen(pairs(4, true), {tuned(4, pairs(4, false))}).match, MatchKind::defaulted);
  EXPECT_EQ(number_of(chosen(pairs(4, false), {tuned(4, pairs(4, true)), tuned(5, pairs(4, false))})), 5);
  const Problem shorter = of_length(pairs(4, false), length / 2);
  EXPECT_EQ(number_of(chosen(shorter, {tuned(4, pairs(4, true))}, {tuned(5, pairs(4, false))})), 5)
      << "before the user's";
}

TEST(SelectionOfOperations, LengthAndWidthAreWeighedTogether) {
  // A doubling of either counts as much; then what does the same for each key goes first.
  EXPECT_EQ(number_of(chosen(pairs(4), {tuned(4, of_length(pairs(4), length / 2)), tuned(5, pairs(8))})), 4);
  EXPECT_EQ(number_of(chosen(pairs(4), {tuned(4, of_length(pairs(4), length / 16)), tuned(5, pairs(8))})), 5);
  EXPECT_EQ(number_of(chosen(of_length(pairs(8), length + 1000),
                             {tuned(4, of_length(pairs(4), length + 1000))}, {tuned(5, pairs(8))})),
            5)
      << "a shipped one of the width before the user's of another width";
}

TEST(SelectionOfOperations, SlowForItsOwnWorkIsNotSlowForAnothers) {
  // Values of 16 bytes take longer than those of 4: that is no reason to pass them over.
  EXPECT_EQ(number_of(chosen(pairs(16), {tuned(4, pairs(16), 90), tuned(5, pairs(4), 10)})), 4);
  EXPECT_EQ(number_of(chosen(pairs(4, false), {tuned(4, pairs(4, true), 90), tuned(5, pairs(8), 10)})), 4);
}

TEST(SelectionOfOperations, TopKByTheNearestK) {
  const auto of = [](std::uint64_t k) {
    return Problem{{.operation = Operation::top_k, .index_bytes = 4, .k = k}, {.n = length}};
  };
  const auto tuned_for = [&](std::int64_t items, std::uint64_t k) {
    Candidate candidate = trial(1, test::h200(), of(k));
    candidate.configuration = variant("merge_topk").default_configuration(of(k), test::h200());
    candidate.configuration.parameters["merge_items"] = items;
    return candidate;
  };
  const std::vector<Candidate> user = {tuned_for(4, 64), tuned_for(8, 2048)};
  const Selection same = chosen(of(50), user);
  EXPECT_EQ(same.configuration.at("merge_items"), 4);
  EXPECT_EQ(same.match, MatchKind::exact) << "k goes by octaves";
  EXPECT_EQ(same.reason, "tuned on this device for this problem; tuned for k=64, used for k=50");
  const Selection near = chosen(of(1000), user);
  EXPECT_EQ(near.configuration.at("merge_items"), 8);
  EXPECT_EQ(near.match, MatchKind::near_size);
  EXPECT_NE(near.reason.find("tuned for k=2048, used for k=1000"), std::string::npos) << near.reason;
  EXPECT_EQ(chosen(of(8192), user).configuration.at("merge_items"), 8);
  EXPECT_EQ(chosen(of(8), user).match, MatchKind::defaulted) << "less than a quarter of 64";
  EXPECT_EQ(chosen(of(8200), user).match, MatchKind::defaulted);
}

TEST(SelectionOfOperations, TopKOfFewRowsSaysNothingOfMany) {
  const auto of = [](std::uint64_t rows) {
    return Problem{{.operation = Operation::top_k, .index_bytes = 4, .k = 64}, {.n = length, .rows = rows}};
  };
  Candidate candidate = trial(1, test::h200(), of(64));
  candidate.configuration = variant("merge_topk").default_configuration(of(64), test::h200());
  EXPECT_EQ(chosen(of(256), {candidate}).match, MatchKind::near_size);
  EXPECT_EQ(chosen(of(4096), {candidate}).match, MatchKind::defaulted);
}

TEST(SelectionOfOperations, SaysWhichRowsAreTooLongForATopK) {
  Problem problem{{.operation = Operation::top_k, .index_bytes = 8, .k = 5}, {.n = std::uint64_t{1} << 31}};
  const auto by_merging = std::array{&variant("merge_topk")};
  EXPECT_NO_THROW((void)default_among(problem, test::h200(), by_merging));
  problem.n += 1;
  try {
    (void)default_among(problem, test::h200(), by_merging);
    FAIL() << "merge_topk has places of 31 bits";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_NE(std::string(error.what()).find("rows of at most 2^31 keys"), std::string::npos) << error.what();
  }
}

TEST(SelectionOfOperations, NeverWhatAVariantCannotDo) {
  Candidate other = tuned(4, pairs(4));
  other.configuration = variant("radix").default_configuration({{}, {.n = length}}, test::h200());
  EXPECT_EQ(chosen(pairs(4), {other}).configuration.variant, "multiway_by_place") << "radix sorts keys alone";
  // 512 threads, whose 31 items take more registers the wider they are.
  Candidate large = tuned(8, pairs(4));
  large.configuration.parameters["block_size_x"] = 512;
  large.configuration.parameters["items_per_thread"] = 31;
  large.configuration.parameters["min_blocks_per_sm"] = 1;
  const auto violates = [&](const Problem& problem) {
    return variant("radix_pairs")
        .space(problem, test::h200())
        .violation(large.configuration, problem, test::h200())
        .has_value();
  };
  ASSERT_FALSE(violates(pairs(4)));
  ASSERT_TRUE(violates(pairs(16)));
  EXPECT_EQ(chosen(pairs(4), {large}).configuration, large.configuration);
  EXPECT_EQ(chosen(pairs(16), {large}).match, MatchKind::defaulted);
}

}  // namespace
}  // namespace bitune
