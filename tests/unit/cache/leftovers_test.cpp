#include "cache/leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

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

/// The names that are removed from a folder while this lives, in order.
class Removals {
 public:
  explicit Removals(const std::filesystem::path& folder)
      : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(events_, folder.c_str(), IN_DELETE), 0);
  }
  ~Removals() { ::close(events_); }
  Removals(const Removals&) = delete;
  Removals& operator=(const Removals&) = delete;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    alignas(inotify_event) std::array<char, 8192> buffer;
    for (ssize_t size = 0; (size = ::read(events_, buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
        if (event->len > 0) names.emplace_back(event->name);
      }
    }
    return names;
  }

 private:
  int events_;
};

// A folder that has lost its owner, but not its files, would be nobody's for ever.
TEST_F(LeftoversTest, TheOwnerOfAFolderGoesLast) {
  constexpr int files = 20;
  for (const bool is_swept : {false, true}) {
    const auto folder = make_folder("bitune-abc123");
    { const FolderLock lock(folder); }
    for (int i = 0; i < files; ++i) write_bytes(folder / std::to_string(i), "x");
    const Removals removals(folder);
    if (is_swept) {
      sweep_folders(directory, "bitune-");
    } else {
      remove_folder(folder);
    }
    EXPECT_FALSE(is_there("bitune-abc123"));
    const std::vector<std::string> names = removals.names();
    ASSERT_EQ(names.size(), files + 3u) << "and a file, a folder and the owner";
    EXPECT_EQ(names.back(), "bitune-owner");
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
