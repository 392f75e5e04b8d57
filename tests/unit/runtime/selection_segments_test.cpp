// Selection for segments: by their mean length first, then by the keys of all; and not by what says nothing
// of them.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/runtime/selection_support.hpp"

namespace bitune {
namespace selecting_segments {
namespace {

using namespace selecting;

constexpr std::uint64_t many = std::uint64_t{1} << 26;

/// So many segments that the mean is as asked, but for what does not come out even.
Shape shape_of(std::uint64_t mean, std::uint64_t keys) {
  return {.n = keys / mean * mean, .rows = keys / mean, .ragged = true};
}
Problem keys_of(std::uint64_t mean, std::uint64_t keys = many) {
  return {{.key = KeyType::u32}, shape_of(mean, keys)};
}
Problem pairs_of(std::uint64_t mean, std::uint64_t keys = many) {
  return {{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true},
          shape_of(mean, keys)};
}
Problem top_k_of(std::uint64_t mean, std::uint64_t k, std::uint64_t keys = many) {
  return {{.operation = Operation::top_k, .key = KeyType::u32, .index_bytes = 4, .k = k},
          shape_of(mean, keys)};
}

/// A trial of the variant, told by how many threads its blocks are said to have.
Candidate tuned(std::int64_t threads, const Problem& problem, const char* variant_name = "segments") {
  Candidate candidate = trial(static_cast<int>(threads), test::h200(), problem);
  candidate.configuration = variant(variant_name).default_configuration(problem, test::h200());
  candidate.configuration.parameters["block_size_x"] = threads;
  return candidate;
}

Selection chosen(const Problem& problem, const std::vector<Candidate>& user) {
  return select_among(problem, test::h200(), {user, {}}, variants(), today);
}

std::int64_t threads_of(const Selection& selection) {
  return selection.match == MatchKind::defaulted ? 0 : selection.configuration.at("block_size_x");
}

TEST(SelectionOfSegments, TheNearestMeanLengthWhateverTheKeysInAll) {
  const std::vector<Candidate> user = {tuned(64, keys_of(100)), tuned(128, keys_of(1000, many / 8)),
                                       tuned(256, keys_of(10000))};
  const Selection near = chosen(keys_of(900), user);
  EXPECT_EQ(threads_of(near), 128) << "1/8 of the keys, but of this mean length";
  EXPECT_EQ(near.match, MatchKind::near_size);
  EXPECT_EQ(near.reason,
            "tuned on this device for n=8388000 in 8388 segments of 1000 on average, the same mean length");
  EXPECT_EQ(threads_of(chosen(keys_of(180), user)), 64);
  EXPECT_EQ(threads_of(chosen(keys_of(9000, 8 * many), user)), 256);
  const Selection between = chosen(keys_of(3000), user);
  EXPECT_EQ(threads_of(between), 256) << "the longer one of two that are as far";
  EXPECT_EQ(
      between.reason,
      "tuned on this device for n=67100000 in 6710 segments of 10000 on average, the nearest mean length");
}

TEST(SelectionOfSegments, ThenTheKeysInAll) {
  const std::vector<Candidate> user = {tuned(64, keys_of(1000, many)), tuned(128, keys_of(1000, many / 8)),
                                       tuned(256, keys_of(500, many / 16))};
  EXPECT_EQ(threads_of(chosen(keys_of(1000, many / 16), user)), 128);
  EXPECT_EQ(threads_of(chosen(keys_of(1000, 4 * many), user)), 64);
  EXPECT_EQ(chosen(keys_of(990, many), user).match, MatchKind::exact) << "all of a class share a plan";
}

TEST(SelectionOfSegments, MeansAreComparedByTheirOctaves) {
  // As one plan serves a class, what is asked is rounded up. So is then what was tuned.
  const std::vector<Candidate> user = {tuned(64, keys_of(9000)), tuned(128, keys_of(40000))};
  Problem asked = keys_of(17000);
  asked.rows = 4096;
  asked.n = asked.rows * 32768;
  EXPECT_EQ(threads_of(chosen(asked, user)), 128) << "both an octave away, the longer one";
  EXPECT_EQ(threads_of(chosen(keys_of(16400), {tuned(64, keys_of(9000)), tuned(128, keys_of(70000))})), 64);
}

/// A mean of 16 has no lists for segments of 1,000: each was a tile of its own, sorted digit by digit.
TEST(SelectionOfSegments, ShortOnesSayNothingOfLongOnes) {
  const std::vector<Candidate> user = {tuned(64, pairs_of(16)), tuned(128, pairs_of(100))};
  EXPECT_EQ(chosen(pairs_of(1000), user).match, MatchKind::defaulted);
  EXPECT_EQ(threads_of(chosen(pairs_of(400), user)), 128) << "four times as long at most";
  EXPECT_EQ(chosen(pairs_of(1000), {tuned(64, pairs_of(10000))}).match, MatchKind::defaulted);
  EXPECT_EQ(threads_of(chosen(pairs_of(4), {tuned(64, pairs_of(16))})), 64);
  EXPECT_EQ(chosen(pairs_of(1), {tuned(64, pairs_of(16))}).match, MatchKind::defaulted)
      << "a block reads too few of them";
  EXPECT_EQ(threads_of(chosen(pairs_of(4000000), {tuned(64, pairs_of(100000))})), 64)
      << "both are longer than blocks hold";
}

TEST(SelectionOfSegments, FewKeysAreServedByFew) {
  const std::vector<Candidate> large = {tuned(64, keys_of(1000, many))};
  EXPECT_EQ(threads_of(chosen(keys_of(1000, 1 << 22), large)), 64);
  EXPECT_EQ(chosen(keys_of(1000, 1 << 18), large).match, MatchKind::defaulted)
      << "most multiprocessors would have nothing to do";
  EXPECT_EQ(threads_of(chosen(keys_of(1000, 1 << 18), {tuned(128, keys_of(1000, 1 << 16))})), 128);
  EXPECT_EQ(chosen(keys_of(1000, many), {tuned(128, keys_of(1000, 1 << 16))}).match, MatchKind::defaulted);
}

TEST(SelectionOfSegments, TopKByMeanLengthAndK) {
  const std::vector<Candidate> user = {tuned(64, top_k_of(1000, 10), "segments_topk"),
                                       tuned(128, top_k_of(4000, 10, many / 4), "segments_topk"),
                                       tuned(256, top_k_of(4000, 300, many / 4), "segments_topk")};
  const Selection near = chosen(top_k_of(4000, 10), user);
  EXPECT_EQ(threads_of(near), 128);
  EXPECT_NE(near.reason.find(", the same mean length"), std::string::npos) << near.reason;
  EXPECT_EQ(threads_of(chosen(top_k_of(1000, 12, many / 2), user)), 64);
  const Selection other = chosen(top_k_of(4000, 200), user);
  EXPECT_EQ(threads_of(other), 256);
  EXPECT_NE(other.reason.find("; tuned for k=300, used for k=200"), std::string::npos) << other.reason;
  EXPECT_EQ(chosen(top_k_of(50, 10), user).match, MatchKind::defaulted);
}

}  // namespace
}  // namespace selecting_segments
}  // namespace bitune
