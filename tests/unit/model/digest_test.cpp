#include "model/digest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "model/device_info.hpp"

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

TEST(DeviceInfo, EveryFactEntersItsDigest) {
  const std::vector<std::function<void(DeviceInfo&)>> changes = {
      [](DeviceInfo& d) { d.kind = "emulated"; },
      [](DeviceInfo& d) { d.name = "other"; },
      [](DeviceInfo& d) { ++d.compute_major; },
      [](DeviceInfo& d) { ++d.compute_minor; },
      [](DeviceInfo& d) { ++d.sm_count; },
      [](DeviceInfo& d) { ++d.warp_size; },
      [](DeviceInfo& d) { ++d.max_threads_per_block; },
      [](DeviceInfo& d) { ++d.max_threads_per_sm; },
      [](DeviceInfo& d) { ++d.max_blocks_per_sm; },
      [](DeviceInfo& d) { ++d.registers_per_block; },
      [](DeviceInfo& d) { ++d.registers_per_sm; },
      [](DeviceInfo& d) { ++d.shared_bytes_per_block; },
      [](DeviceInfo& d) { ++d.shared_bytes_per_block_optin; },
      [](DeviceInfo& d) { ++d.shared_bytes_per_sm; },
      [](DeviceInfo& d) { ++d.l2_bytes; },
      [](DeviceInfo& d) { d.memory_bytes += std::int64_t{1} << 30; },
      [](DeviceInfo& d) { d.cooperative_launch = !d.cooperative_launch; },
      [](DeviceInfo& d) { ++d.max_cluster_size; },
  };
  std::set<std::string> digests = {DeviceInfo{}.digest()};
  for (const auto& change : changes) {
    DeviceInfo device;
    change(device);
    EXPECT_TRUE(digests.insert(device.digest()).second)
        << "change " << digests.size() << " left the digest as it was";
  }
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
