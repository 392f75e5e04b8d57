// How a group of devices merges: measured, stored, and found again for the same group.

#include "multi/merge_tunings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "runtime/selection.hpp"

namespace bitune::test {
namespace merge_tunings {
namespace {

Candidate tuned(const DeviceInfo& group, std::uint64_t bytes, const multi::CopyRules& rules) {
  Candidate candidate;
  candidate.device_digest = group.digest();
  candidate.problem = {{.key = KeyType::u32}, {.n = bytes / 4 * 2}};
  candidate.configuration = multi::configuration_of(rules);
  return candidate;
}

TEST(MergeTunings, AreThoseOfTheGroupAndTheNearestSize) {
  const std::shared_ptr<Device> device = open_device("emulated");
  const std::vector<const Device*> two = {device.get(), device.get()};
  const std::vector<const Device*> three = {device.get(), device.get(), device.get()};
  const DeviceInfo group = multi::facts_of_group(two);
  EXPECT_EQ(group.name, "2 x emulated device, itself");
  EXPECT_NE(group.digest(), device->info().digest());
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  const multi::CopyRules read{.split_from_bytes = never, .from_bytes = never};
  const multi::CopyRules copied{.split_from_bytes = never, .from_bytes = 0, .least_chunk_bytes = 4096};
  const multi::CopyRules split{.split_from_bytes = 0};
  const multi::CopyRules halved{.split_from_bytes = never, .halved_from_bytes = 0};
  CandidateSet candidates;
  candidates.user = {tuned(group, 1 << 10, read), tuned(group, 1 << 20, copied),
                     tuned(group, 1 << 25, halved), tuned(group, 1 << 30, split)};
  candidates.shipped = {tuned(group, 1 << 20, read)};

  const multi::MergeTunings tunings(candidates, group, 2);
  EXPECT_EQ(tunings.rules_for(0).from_bytes, read.from_bytes);
  EXPECT_EQ(tunings.rules_for(1 << 12).from_bytes, read.from_bytes);
  EXPECT_EQ(tunings.rules_for(1 << 21).from_bytes, 0U);
  EXPECT_EQ(tunings.rules_for(1 << 21).least_chunk_bytes, 4096U);
  EXPECT_EQ(tunings.rules_for(1 << 21).split_from_bytes, never);
  EXPECT_EQ(tunings.rules_for(1 << 21).halved_from_bytes, never);
  EXPECT_EQ(tunings.rules_for(1 << 25).halved_from_bytes, 0U);
  EXPECT_EQ(tunings.rules_for(1 << 25).split_from_bytes, never);
  EXPECT_EQ(tunings.rules_for(1 << 28).split_from_bytes, 0U);
  const multi::MergeTunings others(candidates, multi::facts_of_group(three), 3);
  EXPECT_EQ(others.rules_for(1 << 25).from_bytes, multi::CopyRules{}.from_bytes) << "of another group";
}

TEST(MergeTunings, OfDevicesThatReachEachOtherOnlyByTheHostAreNone) {
  const std::shared_ptr<Device> one = open_device("emulated");
  const std::shared_ptr<Device> other = open_device("emulated");
  const std::vector<const Device*> group = {one.get(), other.get()};
  EXPECT_TRUE(multi::facts_of_group(group).name.ends_with(multi::unreached));
}

}  // namespace
}  // namespace merge_tunings
}  // namespace bitune::test
