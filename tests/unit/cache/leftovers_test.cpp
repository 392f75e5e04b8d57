#include "cache/leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class LeftoversTest : public DirectoryTest {
 protected:
  /// Makes a folder with files in it, two of them deeper down.
  std::filesystem::path make_folder(const std::string& name) const {
    std::filesystem::create_directories(directory / name / "kernels" / "sort");
    for (const char* file : {"1.so", "kernels/2.so", "kernels/sort/3.so"}) {
      write_bytes(directory / name / file, "x");
    }
    return directory / name;
  }

  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(directory / name);
  }
};

TEST_F(LeftoversTest, RegisteredFilesAndFoldersAreRemoved) {
  write_bytes(directory / "file", "x");
  write_bytes(directory / "done", "x");
  const FolderLock lock(make_folder("folder"));
  const Leftover file(directory / "file");
  const Leftover folder(directory / "folder");
  { const Leftover done(directory / "done"); }
  const pid_t fork = ::fork();
  if (fork == 0) {
    remove_leftovers();
    ::_exit(0);
  }
  ::waitpid(fork, nullptr, 0);
  EXPECT_TRUE(is_there("file")) << "a fork has none of its own";
  remove_leftovers();
  EXPECT_FALSE(is_there("file"));
  EXPECT_FALSE(is_there("folder"));
  EXPECT_TRUE(is_there("done"));
}

TEST_F(LeftoversTest, LinksAreNotFollowed) {
  write_bytes(make_folder("others") / "file", "x");
  std::filesystem::create_directories(directory / "mine");
  std::filesystem::create_directory_symlink(directory / "others", directory / "mine" / "link");
  const Leftover folder(directory / "mine");
  remove_leftovers();
  EXPECT_FALSE(is_there("mine"));
  EXPECT_TRUE(is_there("others/file"));
}

TEST_F(LeftoversTest, FoldersOfDeadProcessesAreSwept) {
  write_bytes(make_folder("bitune-backup") / "file", "of somebody who calls a folder so");
  std::filesystem::create_directory(directory / "bitune-empty1");  // left before it was locked
  make_folder("bitune-living");
  make_folder("bitune-killed");
  make_folder("bitune-seven77");
  const FolderLock living(directory / "bitune-living");
  const FolderLock longer(directory / "bitune-seven77");
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(directory / "bitune-killed");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  sweep_folders(directory, "bitune-");
  EXPECT_FALSE(is_there("bitune-killed"));
  EXPECT_FALSE(is_there("bitune-empty1"));
  for (const char* name : {"bitune-backup/file", "bitune-living", "bitune-seven77"}) {
    EXPECT_TRUE(is_there(name)) << name;
  }
}

TEST_F(LeftoversTest, WhoeverLocksAFolderSeesThatItWasSwept) {
  const auto folder = make_folder("bitune-first1");
  const int sweeper = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(lock_file(sweeper));
  EXPECT_TRUE(FolderLock(folder).is_swept());
  EXPECT_FALSE(is_there("bitune-first1/bitune-owner"));
  ::close(sweeper);
  EXPECT_FALSE(FolderLock(folder).is_swept());
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(FolderLock(folder).is_swept());
}

TEST_F(LeftoversTest, OnlyUnlockedFilesOfThePatternAreSwept) {
  for (const char* name : {".out.bitune-abc123", ".out.bitune-locked", ".out.bitune-a.b.c.", ".out.backup"}) {
    write_bytes(directory / name, "x");
  }
  write_bytes(directory / ".out.bitune-abc123-wal", "x");
  const int locked = ::open((directory / ".out.bitune-locked").c_str(), O_RDONLY);
  ASSERT_TRUE(lock_file(locked));
  sweep_files(directory, ".out.bitune-", {"-wal"});
  EXPECT_FALSE(is_there(".out.bitune-abc123-wal"));
  EXPECT_FALSE(is_there(".out.bitune-abc123"));
  for (const char* name : {".out.bitune-locked", ".out.bitune-a.b.c.", ".out.backup"}) {
    EXPECT_TRUE(is_there(name)) << name;
  }
  ::close(locked);
}

}  // namespace
}  // namespace bitune::test
