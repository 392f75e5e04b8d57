#include "model/digest.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/device_info.hpp"
#include "model/fields.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

TEST(Digest, FieldsDoNotRunIntoEachOther) {
  const auto of = [](std::vector<std::string> fields) {
    Digest digest;
    for (const std::string& field : fields) digest.add(field);
    return digest.hex();
  };
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"abc"}), of({"abc", ""}));
  EXPECT_NE(of({}), of({""}));
  EXPECT_NE(of({std::string("\0", 1)}), of({std::string("\0\0", 2)}));
}

TEST(Digest, HexIsStableAndDoesNotEndTheDigest) {
  Digest digest;
  // The canonical XXH3_128 of the empty input: files written on any machine are found on any other.
  EXPECT_EQ(digest.hex(), "99aa06d3014798d86001c324468d497f");
  digest.add("bitune");
  const std::string once = digest.hex();
  EXPECT_EQ(once.size(), 32u);
  EXPECT_EQ(once.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(digest.hex(), once);
  digest.add("more");
  EXPECT_NE(digest.hex(), once);
}

TEST(DeviceInfo, EveryFirstFactEntersItsDigestAndNoLaterOne) {
  std::set<std::string> digests = {DeviceInfo{}.digest()};
  DeviceInfo::visit_fields([&digests](std::string_view name, auto member, FieldAge age) {
    DeviceInfo device;
    using Fact = std::decay_t<decltype(device.*member)>;
    if constexpr (std::is_same_v<Fact, std::string>) {
      device.*member = "other";
    } else if constexpr (std::is_same_v<Fact, bool>) {
      device.*member = !(device.*member);
    } else {
      device.*member += name == "memory_bytes" ? Fact{1} << 30 : Fact{1};
    }
    EXPECT_EQ(digests.insert(device.digest()).second, age == FieldAge::first) << name;
    EXPECT_NE(device, DeviceInfo{}) << name;
  });
  EXPECT_EQ(digests.size(), 19u);
}

TEST(DeviceInfo, ItsDigestIsThatOfOlderVersions) {
  // Devices in databases are found by it: it must never change.
  EXPECT_EQ(test::h200().digest(), "3bcc5ff7b422b9955f7d6d7d41f72367");
}

TEST(DeviceInfo, ADriverThatReservesMoreMemoryIsTheSameDevice) {
  DeviceInfo device;
  device.memory_bytes = (std::int64_t{139} << 30) + 900'000'000;
  const std::string digest = device.digest();
  device.memory_bytes -= 200'000'000;
  EXPECT_EQ(device.digest(), digest);
  device.compute_major = 9;
  EXPECT_EQ(device.compute_capability(), 90);
}

}  // namespace
}  // namespace bitune
