#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "runtime/selection.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, and $BITUNE_SHIPPED_DB as it was before.
class CandidatesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder =
        fs::temp_directory_path() / ("bitune-candidates-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(folder);
    if (const char* value = std::getenv("BITUNE_SHIPPED_DB")) before = value;
    set_shipped("");
  }
  void TearDown() override {
    if (before) {
      set_shipped(*before);
    } else {
      ::unsetenv("BITUNE_SHIPPED_DB");
    }
    fs::remove_all(folder);
  }

  static void set_shipped(const std::string& path) { ::setenv("BITUNE_SHIPPED_DB", path.c_str(), 1); }

  /// Stores one trial of a warp configuration in a new database.
  fs::path database(const std::string& name, double us) const {
    const fs::path path = folder / name;
    TuningDatabase database(path, DatabaseMode::read_write);
    DeviceInfo device;
    device.name = "GPU";
    device.compute_major = 9;
    Trial trial;
    trial.problem = problem;
    trial.configuration = {"warp", {{"block_size_x", 256}}};
    trial.kernel_digest = "k";
    trial.samples_us = {us};
    database.store(database.begin_session(device, {"GPU-1", "580", "nvrtc"}, {}), trial);
    return path;
  }

  Problem problem{{.key = KeyType::u32}, {.n = 4096}};
  fs::path folder;
  std::optional<std::string> before;
  std::string warning;
};

TEST_F(CandidatesTest, ReadsBothDatabases) {
  set_shipped(database("shipped.db", 20).string());
  const CandidateSet set = read_candidates(problem, database("user.db", 10), &warning);
  EXPECT_EQ(warning, "");
  ASSERT_EQ(set.user.size(), 1u);
  EXPECT_EQ(set.user[0].median_us, 10);
  ASSERT_EQ(set.shipped.size(), 1u);
  EXPECT_EQ(set.shipped[0].median_us, 20);
}

TEST_F(CandidatesTest, AMissingUserDatabaseIsAWarning) {
  const CandidateSet set = read_candidates(problem, folder / "none.db", &warning);
  EXPECT_TRUE(set.user.empty());
  EXPECT_EQ(warning, "there is no tuning database '" + (folder / "none.db").string() + "' yet");
  EXPECT_FALSE(fs::exists(folder / "none.db")) << "reading creates nothing";
  warning.clear();
  EXPECT_TRUE(read_candidates(problem, {}, &warning).user.empty());
  EXPECT_EQ(warning, "no tuning database is named");
}

TEST_F(CandidatesTest, ADamagedUserDatabaseIsAWarningAndTheShippedOneServes) {
  set_shipped(database("shipped.db", 20).string());
  const fs::path damaged = folder / "damaged.db";
  std::ofstream(damaged) << "this is no database, but it is long enough to be looked at as one";
  const CandidateSet set = read_candidates(problem, damaged, &warning);
  EXPECT_TRUE(set.user.empty());
  EXPECT_EQ(set.shipped.size(), 1u);
  EXPECT_NE(warning.find(damaged.string()), std::string::npos) << warning;
  static_cast<void>(read_candidates(problem, damaged, nullptr));
}

TEST_F(CandidatesTest, ANamedShippedDatabaseThatIsMissingIsAWarning) {
  set_shipped((folder / "none.db").string());
  const CandidateSet set = read_candidates(problem, database("user.db", 10), &warning);
  EXPECT_EQ(set.user.size(), 1u);
  EXPECT_TRUE(set.shipped.empty());
  EXPECT_NE(warning.find("none.db"), std::string::npos) << warning;
}

TEST_F(CandidatesTest, TheShippedDatabaseCanBeSwitchedOff) {
  set_shipped("");
  EXPECT_EQ(shipped_database_path(), std::nullopt);
}

TEST_F(CandidatesTest, TheShippedDatabaseLiesBesideTheExecutable) {
  ::unsetenv("BITUNE_SHIPPED_DB");
  const fs::path expected =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share" / "bitune" / "tunings.db";
  const auto found = shipped_database_path();
  EXPECT_EQ(found.has_value(), fs::exists(expected));
  EXPECT_EQ(found.value_or(expected), expected);
}

}  // namespace
}  // namespace bitune
