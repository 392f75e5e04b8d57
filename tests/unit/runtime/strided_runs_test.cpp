// Runs that lie in the result: every order of keys comes out sorted, what must be moved aside is little for
// usual ones, and a part that fails ends the others.

#include "runtime/parts/strided_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/parts/host_parts.hpp"

namespace bitune {
namespace strided_runs_test {
namespace {

using Keys = std::vector<std::uint32_t>;

/// Sorts a call of keys as a device would.
HostSortTimes sort_call(const HostCall& call) {
  const HostArray& array = call.arrays.front().memory;
  Keys keys(array.bytes / 4);
  if (call.reading.begins) call.reading.begins();
  auto* to = reinterpret_cast<std::byte*>(keys.data());
  for (const HostPiece& piece : array.from) {
    std::memcpy(to, piece.data, piece.bytes);
    to += piece.bytes;
  }
  EXPECT_EQ(to, reinterpret_cast<std::byte*>(keys.data()) + array.bytes);
  if (call.reading.ends) call.reading.ends();
  std::sort(keys.begin(), keys.end());
  std::this_thread::yield();
  const auto* from = reinterpret_cast<const std::byte*>(keys.data());
  for (const HostRoom& room : array.to) {
    std::memcpy(room.data, from, room.bytes);
    from += room.bytes;
  }
  return {};
}

void expect_sorted(Keys keys, std::uint64_t most, bool in_place) {
  Keys expected = keys;
  std::sort(expected.begin(), expected.end());
  Keys out(keys.size());
  Operands operands;
  operands[Role::keys_in] = {keys.data(), keys.size(), keys.size()};
  Keys& result = in_place ? keys : out;
  operands[Role::keys_out] = {result.data(), keys.size(), keys.size()};
  const Problem problem{{.key = KeyType::u32}, {.n = keys.size()}};
  std::uint64_t told = 0;
  const PartSizes sizes{most, 3};
  const HostParts parts(
      [most](const HostCall& call) {
        EXPECT_LE(call.problem.n, most);
        return sort_call(call);
      },
      sizes, [&](std::uint64_t done, std::uint64_t) { told = done; }, {});
  static_cast<void>(parts.run(problem, operands));
  EXPECT_EQ(result, expected);
  EXPECT_EQ(told, part_count(problem, sizes));
}

/// Keys by their places, of which there are n.
Keys made(std::uint64_t n, const std::function<std::uint64_t(std::uint64_t)>& key_at) {
  Keys keys;
  for (std::uint64_t i = 0; i < n; ++i) keys.push_back(static_cast<std::uint32_t>(key_at(i)));
  return keys;
}

std::vector<std::function<std::uint64_t(std::uint64_t)>> orders_of(std::uint64_t n, std::uint64_t most) {
  return {
      [random = std::mt19937(n)](std::uint64_t) mutable { return random(); },
      [](std::uint64_t) { return 7; },
      [](std::uint64_t i) { return i; },
      [](std::uint64_t i) { return ~i; },
      [](std::uint64_t i) { return i % 3; },
      [](std::uint64_t i) { return i % 97 * 1000; },
      [most](std::uint64_t i) { return i % most; },
      [n](std::uint64_t i) { return i < n / 3 ? 0 : i; },
      // A run has the smallest keys alone, the next one what follows, and so on.
      [runs = StridedRuns::of(n, most)](std::uint64_t i) {
        const std::uint64_t block = i / runs->block();
        return (block % runs->runs() + runs->runs() * runs->regions() - block / runs->runs()) % runs->runs();
      },
  };
}

TEST(StridedRuns, AreMergedWhereTheyLie) {
  bool in_place = false;
  for (const auto& [n, most] :
       {std::pair<std::uint64_t, std::uint64_t>{5001, 400}, {10000, 1000}, {9999, 5000}}) {
    ASSERT_TRUE(StridedRuns::of(n, most));
    for (const auto& order : orders_of(n, most)) expect_sorted(made(n, order), most, in_place = !in_place);
  }
}

TEST(StridedRuns, HaveEachKeyOnce) {
  for (const std::uint64_t n : {1, 16, 17, 1000, 4096, 99999}) {
    const auto runs = StridedRuns::of(n, 2048);
    ASSERT_TRUE(runs);
    std::vector<int> seen(n);
    std::uint64_t behind = 0;
    for (std::uint64_t run = 0; run < runs->runs(); ++run) {
      for (std::uint64_t i = 0; i < runs->length(run); ++i) ++seen.at(runs->index(run, i));
      EXPECT_LE(runs->length(run), 2048U);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
    for (std::uint64_t region = 0; region < runs->regions(); ++region) {
      EXPECT_EQ(runs->region(region).begin, behind);
      EXPECT_LE(runs->region(region).size(), 2048U);
      behind = runs->region(region).end;
    }
    EXPECT_EQ(behind, n);
  }
  EXPECT_FALSE(StridedRuns::of(1 << 24, 1024)) << "blocks would be too short";
}

/// Equal, ordered and reversed keys lie where they belong at once.
TEST(StridedRuns, KeepNothingOfOrderedKeys) {
  constexpr std::uint64_t n = 10000;
  const auto runs = StridedRuns::of(n, 1000);
  for (const auto& order : {orders_of(n, 1000)[1], orders_of(n, 1000)[2]}) {
    Keys keys = made(n, order);  // each run is in order
    const StridedMerge merge(*runs, reinterpret_cast<std::byte*>(keys.data()), {KeyType::u32}, {}, 2);
    for (std::uint64_t part = 0; part < runs->regions(); ++part) {
      const ElementRange region = runs->region(part);
      for (const HostPiece& piece : merge.pieces(part)) {
        const auto* const key = static_cast<const std::uint32_t*>(piece.data);
        EXPECT_GE(key, keys.data() + region.begin);
        EXPECT_LE(key + piece.bytes / 4, keys.data() + region.end);
      }
    }
  }
}

TEST(StridedRuns, EndWithThePartThatFails) {
  Keys keys = made(10000, orders_of(10000, 1000)[0]);
  Operands operands;
  operands[Role::keys_out] = {keys.data(), keys.size(), keys.size()};
  for (const int failing : {3, 11, 12, 15}) {
    std::atomic<int> calls{0};
    const HostParts parts(
        [&](const HostCall& call) {
          if (calls++ == failing) throw Error(ErrorCode::device, "lost");
          return sort_call(call);
        },
        {1000, 3}, {}, {});
    EXPECT_THROW(static_cast<void>(parts.run({{.key = KeyType::u32}, {.n = keys.size()}}, operands)), Error);
  }
}

}  // namespace
}  // namespace strided_runs_test
}  // namespace bitune
