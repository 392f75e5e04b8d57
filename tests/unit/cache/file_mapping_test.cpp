#include "cache/file_mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace bitune {
namespace {

namespace fs = std::filesystem;

class FileMappingTest : public testing::Test {
 protected:
  FileMappingTest() {
    std::string name = (fs::temp_directory_path() / "mapping-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~FileMappingTest() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(FileMappingTest, WhatIsWrittenIsInTheFile) {
  const int file = ::open((folder_ / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  {
    FileMapping written = FileMapping::for_writing(file, 10000);
    ASSERT_EQ(written.bytes().size(), 10000U);
    std::fill(written.bytes().begin(), written.bytes().end(), std::byte{7});
    const FileMapping moved = std::move(written);
    EXPECT_EQ(moved.bytes()[9999], std::byte{7});
  }
  struct stat status = {};
  ASSERT_EQ(::fstat(file, &status), 0);
  EXPECT_EQ(status.st_size, 10000);
  EXPECT_GE(status.st_blocks * 512, 10000) << "its room is not taken";
  const FileMapping read = FileMapping::for_reading(file, 10000);
  ASSERT_EQ(::close(file), 0);
  EXPECT_EQ(std::count(read.bytes().begin(), read.bytes().end(), std::byte{7}), 10000);
}

TEST_F(FileMappingTest, ANamelessFileLeavesNoName) {
  const FileMapping scratch = FileMapping::nameless(folder_, 5000);
  scratch.bytes()[4999] = std::byte{1};
  EXPECT_EQ(scratch.bytes()[0], std::byte{0});
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FileMappingTest, NoBytesAreNoMapping) {
  EXPECT_TRUE(FileMapping::nameless(folder_, 0).bytes().empty());
}

TEST_F(FileMappingTest, WhatCannotBeIsAnError) {
  EXPECT_THROW(static_cast<void>(FileMapping::nameless(folder_ / "none", 1)), std::system_error);
  const int file = ::open((folder_ / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_THROW(static_cast<void>(FileMapping::for_writing(file, std::uint64_t{1} << 62)), std::system_error)
      << "a disk that has that much room";
  ASSERT_EQ(::close(file), 0);
  EXPECT_THROW(static_cast<void>(FileMapping::for_reading(-1, 1)), std::system_error);
}

}  // namespace
}  // namespace bitune
