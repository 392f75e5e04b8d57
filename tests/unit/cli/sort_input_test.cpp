#include "cli/sort_input.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "bitune/error.hpp"
#include "cli/host_memory.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {
namespace {

KeyArray array_of(std::vector<std::uint64_t> shape) {
  KeyArray keys;
  keys.type = KeyType::u16;
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    count *= extent;
  }
  keys.shape = std::move(shape);
  keys.bytes.resize(2 * count);
  return keys;
}

TEST(SortInput, RowsFollowTheShape) {
  const auto rows = [](KeyArray keys, const std::string& option) { return rows_of(keys, option, "f"); };
  EXPECT_EQ(rows(array_of({12}), ""), 1U);
  EXPECT_EQ(rows(array_of({12}), "auto"), 1U);
  EXPECT_EQ(rows(array_of({12}), "3"), 3U);
  EXPECT_EQ(rows(array_of({3, 4}), "3"), 3U);
  EXPECT_EQ(rows(array_of({2, 3, 4}), "auto"), 6U);
  EXPECT_EQ(rows(array_of({0, 4}), "auto"), 0U);
  KeyArray flat = array_of({2, 3});
  EXPECT_EQ(rows_of(flat, "1", "f"), 1U);
  EXPECT_EQ(flat.shape, std::vector<std::uint64_t>{6});
}

TEST(SortInput, RowsThatDoNotFitAreRefused) {
  const auto error_of = [](KeyArray keys, const std::string& option) -> std::string {
    try {
      static_cast<void>(rows_of(keys, option, "f.npy"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_of(array_of({3, 4}), "").find("has the shape (3, 4); give --rows 3"), std::string::npos);
  EXPECT_NE(error_of(array_of({3, 4}), "4").find("has 3 rows, not the 4"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "3").find("10 keys, which do not make 3 rows"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "0").find("1 or more"), std::string::npos);
  EXPECT_NE(error_of(array_of({10}), "many"), "no error");
  KeyArray ragged = array_of({10});
  ragged.ragged = true;
  EXPECT_NE(error_of(ragged, "").find("give --rows 1"), std::string::npos);
  EXPECT_NE(error_of(ragged, "auto").find("give --rows 1"), std::string::npos);
  EXPECT_EQ(error_of(ragged, "1"), "no error");
}

TEST(SortInput, GeneratesTheSameKeysForASeed) {
  const SortInput first = generate_input("random:1000", KeyType::f32, 3);
  EXPECT_EQ(first.keys.count(), 1000U);
  EXPECT_EQ(first.keys.bytes, generate_input("random:1000", KeyType::f32, 3).keys.bytes);
  EXPECT_NE(first.keys.bytes, generate_input("random:1000", KeyType::f32, 4).keys.bytes);
  for (const char* what : {"random", "random:", "strange:10", "random:x", ":5"}) {
    EXPECT_THROW(static_cast<void>(generate_input(what, KeyType::u8, 1)), Error) << what;
  }
}

TEST(SortInput, GeneratesNoMoreThanTheLimit) {
  EXPECT_THROW(
      static_cast<void>(generate_input("random:1000", KeyType::f32, 3, {.bytes = 3999, .reason = ""})),
      Error);
}

TEST(SortInput, TheOutputFollowsItsNameAndThenTheInput) {
  EXPECT_EQ(output_format_of("", "x.npy", Format::text), Format::npy);
  EXPECT_EQ(output_format_of("", "x.dat", Format::raw), Format::raw);
  EXPECT_EQ(output_format_of("text", "x.npy", Format::raw), Format::text);
  EXPECT_EQ(output_format_of("raw", "x.npz", Format::text), Format::raw);
  for (const char* name : {"x.npz", "x.gz", "folder.bin/x.parquet"}) {
    EXPECT_THROW(static_cast<void>(output_format_of("", name, Format::npy)), Error) << name;
  }
}

/// A folder that stands for the root of a host.
class HostMemory : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  [[nodiscard]] std::uint64_t free() const { return free_host_memory(folder_.file("")); }

  Folder folder_;
};

TEST_F(HostMemory, IsWhatKernelAndGroupsLeave) {
  constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(free(), unknown);
  write("proc/meminfo", "MemTotal:       2000 kB\nMemAvailable:   1000 kB\n");
  EXPECT_EQ(free(), 1000U * 1024);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.current", "5\n");
  EXPECT_EQ(free(), 1000U * 1024) << "a group without a limit";
  write("sys/fs/cgroup/a/memory.max", "5000\n");
  write("sys/fs/cgroup/a/memory.current", "4500\n");
  EXPECT_EQ(free(), 500U) << "the group around it has one";
  write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 1500\n");
  EXPECT_EQ(free(), 2000U) << "what is only cached can go";
  write("sys/fs/cgroup/a/memory.current", "9000\n");
  EXPECT_EQ(free(), 0U);
}

TEST_F(HostMemory, KnowsGroupsOfTheFirstVersion) {
  write("proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/x\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "300\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
  EXPECT_EQ(free(), 200U) << "a container sees its group as the root";
}

TEST(ReadLimits, ComeFromTheHostOrTheOption) {
  EXPECT_GT(read_limit_of("").bytes, 0U);
  EXPECT_EQ(read_limit_of("64M").bytes, std::uint64_t{64} << 20);
  EXPECT_THROW(static_cast<void>(read_limit_of("many")), Error);
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(3U << 19), "1.5 MiB");
}

}  // namespace
}  // namespace bitune::cli
