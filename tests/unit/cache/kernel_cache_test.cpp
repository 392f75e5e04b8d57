#include "cache/kernel_cache.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bitune/log.hpp"
#include "cache/kernel_file.hpp"
#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

KernelImage image(const std::string& bytes = std::string("\x7f"
                                                         "ELF\0 and so on",
                                                         15)) {
  KernelImage image;
  image.target = "sm_90 cubin";
  image.lowered_name = "_ZN6bitune9tile_sortILi256EEvPj";
  image.bytes = bytes;
  image.log = "a warning\nand another";
  image.registers = 40;
  image.local_bytes = 0;
  return image;
}

std::string digest(int i) { return "00112233445566778899aabbccdd" + std::to_string(1000 + i); }

/// Keeps what the log is told while it lives.
class LogOfTest {
 public:
  LogOfTest() : before_(set_log([this](const std::string& sentence) { sentences_.push_back(sentence); })) {}
  ~LogOfTest() { set_log(before_); }
  LogOfTest(const LogOfTest&) = delete;
  LogOfTest& operator=(const LogOfTest&) = delete;

  [[nodiscard]] const std::vector<std::string>& sentences() const { return sentences_; }

 private:
  std::vector<std::string> sentences_;
  LogFunction before_;
};

class KernelCacheTest : public DirectoryTest {
 protected:
  std::filesystem::path file_of(const std::string& digest) const {
    return caches / digest.substr(0, 2) / (digest + ".kernel");
  }

  // All regular files below the cache's directory, whatever their names.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(caches))
      count += entry.is_regular_file();
    return count;
  }

  void set_age(const std::string& digest, std::chrono::seconds age) const {
    std::filesystem::last_write_time(file_of(digest), std::filesystem::file_time_type::clock::now() - age);
  }

  std::filesystem::path caches = directory / "cache";
};

TEST_F(KernelCacheTest, AnImageIsFoundAsItWasStored) {
  KernelCache cache(caches);
  EXPECT_EQ(cache.find(digest(1)), std::nullopt);
  cache.store(digest(1), image());
  EXPECT_EQ(cache.find(digest(1)), image());
  EXPECT_EQ(cache.find(digest(2)), std::nullopt);
  EXPECT_EQ(KernelCache(caches).find(digest(1)), image()) << "another process finds it";
  EXPECT_EQ(files(), 1u) << "no temporary file is left";
  struct stat status {};
  ASSERT_EQ(::stat(file_of(digest(1)).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u) << "a cache may be shared";
}

TEST_F(KernelCacheTest, EmptyFieldsAndLargeImagesAreKept) {
  KernelCache cache(caches);
  const KernelImage empty;
  cache.store(digest(1), empty);
  EXPECT_EQ(cache.find(digest(1)), empty);
  const KernelImage large = image(std::string(3 << 20, '\xff'));
  cache.store(digest(2), large);
  EXPECT_EQ(cache.find(digest(2)), large);
  EXPECT_EQ(cache.statistics().files, 2u);
  EXPECT_GT(cache.statistics().bytes, std::uint64_t{3} << 20);
}

TEST_F(KernelCacheTest, StoringAgainReplaces) {
  KernelCache cache(caches);
  cache.store(digest(1), image("one"));
  cache.store(digest(1), image("two"));
  EXPECT_EQ(cache.find(digest(1))->bytes, "two");
  EXPECT_EQ(cache.statistics().files, 1u);
}

TEST_F(KernelCacheTest, ADigestNeverLeadsOutOfTheDirectory) {
  KernelCache cache(caches);
  for (const char* odd : {"../../escape", "/etc/passwd", "", "a", "..", "ABCDEF0123456789", "x\ny"}) {
    cache.store(odd, image(odd));
    ASSERT_TRUE(cache.find(odd)) << odd;
    EXPECT_EQ(cache.find(odd)->bytes, odd);
  }
  EXPECT_EQ(cache.statistics().files, 7u);
  std::size_t beside = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++beside;
  EXPECT_EQ(beside, 1u);
}

TEST_F(KernelCacheTest, EveryTruncationIsAMissAndHeals) {
  KernelCache cache(caches);
  cache.store(digest(1), image());
  const std::string whole = bytes_of(file_of(digest(1)));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(file_of(digest(1)), whole.substr(0, size));
    ASSERT_EQ(cache.find(digest(1)), std::nullopt) << size << " bytes";
  }
  write_bytes(file_of(digest(1)), whole + "x");
  EXPECT_EQ(cache.find(digest(1)), std::nullopt) << "a byte too many";
  cache.store(digest(1), image());
  EXPECT_EQ(cache.find(digest(1)), image());
}

TEST_F(KernelCacheTest, EveryFlippedBitIsAMiss) {
  const std::string whole = kernel_file::encode(digest(1), image());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      ASSERT_EQ(kernel_file::decode(damaged, digest(1)), std::nullopt) << "bit " << bit << " of byte " << at;
    }
  }
  EXPECT_EQ(kernel_file::decode(whole, digest(1)), image());
  EXPECT_EQ(kernel_file::decode(whole, digest(2)), std::nullopt) << "a file under another's name";
}

TEST_F(KernelCacheTest, AFileUnderAnothersNameIsAMiss) {
  KernelCache cache(caches);
  cache.store(digest(1), image());
  std::filesystem::copy_file(file_of(digest(1)), file_of(digest(2)));
  EXPECT_EQ(cache.find(digest(2)), std::nullopt);
}

TEST_F(KernelCacheTest, TheLeastRecentlyUsedGoFirst) {
  const std::uint64_t each = kernel_file::encode(digest(0), image(std::string(1000, 'k'))).size();
  KernelCache cache(caches, 8 * each);
  for (int i = 0; i < 8; ++i) {
    cache.store(digest(i), image(std::string(1000, 'k')));
    set_age(digest(i), std::chrono::seconds(1000 - i));
  }
  EXPECT_EQ(cache.statistics().files, 8u);
  ASSERT_TRUE(cache.find(digest(0))) << "using it makes it the most recent one";
  cache.store(digest(8), image(std::string(1000, 'k')));
  EXPECT_LE(cache.statistics().bytes, 8 * each);
  EXPECT_TRUE(cache.find(digest(0)));
  EXPECT_FALSE(cache.find(digest(1)));
  EXPECT_TRUE(cache.find(digest(7)));
  EXPECT_TRUE(cache.find(digest(8)));
}

TEST_F(KernelCacheTest, TheCapHoldsForWhatOthersStored) {
  const std::uint64_t each = kernel_file::encode(digest(0), image(std::string(1000, 'k'))).size();
  KernelCache roomy(caches);
  for (int i = 0; i < 20; ++i) roomy.store(digest(i), image(std::string(1000, 'k')));
  KernelCache tight(caches, 5 * each);
  tight.store(digest(20), image(std::string(1000, 'k')));
  EXPECT_LE(tight.statistics().bytes, 5 * each);
  EXPECT_TRUE(tight.find(digest(20)));
  tight.store(digest(21), image(std::string(6000, 'k')));
  EXPECT_FALSE(tight.find(digest(21))) << "larger than the whole cache";
  EXPECT_TRUE(tight.find(digest(20)));
}

TEST_F(KernelCacheTest, ClearRemovesOursAndNothingElse) {
  KernelCache cache(caches);
  cache.store(digest(1), image());
  cache.store("abcdef0123456789", image());
  const std::filesystem::path others[] = {caches / "notes.txt", caches / "00" / "notes.kernel",
                                          caches / "long" / "longer.kernel"};
  std::filesystem::create_directories(caches / "long");
  for (const auto& other : others) write_bytes(other, "not ours");
  EXPECT_EQ(cache.clear(), 2u);
  EXPECT_EQ(cache.find(digest(1)), std::nullopt);
  EXPECT_EQ(cache.statistics().files, 0u);
  for (const auto& other : others) EXPECT_EQ(bytes_of(other), "not ours");
  EXPECT_EQ(KernelCache(directory / "none").clear(), 0u);
  EXPECT_EQ(KernelCache(directory / "none").statistics().files, 0u);
}

TEST_F(KernelCacheTest, AbandonedTemporaryFilesGo) {
  KernelCache(caches).store(digest(1), image());
  const auto abandoned = file_of(digest(1)).string() + "-Ab12cD.tmp";
  const auto under_way = file_of(digest(1)).string() + "-Xy34zW.tmp";
  write_bytes(abandoned, "half");
  write_bytes(under_way, "half");
  std::filesystem::last_write_time(abandoned,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  KernelCache cache(caches);
  cache.store(digest(2), image());
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  EXPECT_TRUE(std::filesystem::exists(under_way)) << "another process may be writing it";
}

TEST_F(KernelCacheTest, NotesAreKeptBesideKernels) {
  KernelCache cache(caches);
  const std::string note("a\nnote\0", 7);
  EXPECT_EQ(cache.find_note("../of what"), std::nullopt);
  cache.store_note("../of what", note);
  cache.store_note(digest(1), "another");
  EXPECT_EQ(KernelCache(caches).find_note("../of what"), note) << "another process finds it";
  EXPECT_EQ(cache.find_note(digest(1)), "another");
  EXPECT_EQ(cache.find(digest(1)), std::nullopt) << "a note is no kernel";
  cache.store_note(digest(1), "replaced");
  EXPECT_EQ(cache.find_note(digest(1)), "replaced");
  EXPECT_EQ(cache.statistics().files, 2u);
  EXPECT_EQ(cache.clear(), 2u);
  EXPECT_EQ(cache.find_note(digest(1)), std::nullopt);
}

TEST_F(KernelCacheTest, ANoteThatIsDamagedOrOfAnotherFormIsAMiss) {
  KernelCache cache(caches);
  cache.store_note(digest(1), "text");
  const auto path = std::filesystem::path(file_of(digest(1))).replace_extension(".note");
  const std::string whole = bytes_of(path);
  EXPECT_EQ(kernel_file::decode_note(whole, digest(1)), "text");
  EXPECT_EQ(kernel_file::decode_note(whole, digest(2)), std::nullopt) << "of another key";
  EXPECT_EQ(kernel_file::decode(whole, digest(1)), std::nullopt) << "a note is no kernel";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(kernel_file::decode_note(whole.substr(0, length), digest(1)), std::nullopt) << length;
  }
  for (const std::string& other : {kernel_file::encode(digest(1), image("text")), whole + "x"}) {
    write_bytes(path, other);
    EXPECT_EQ(cache.find_note(digest(1)), std::nullopt);
  }
  cache.store_note(digest(1), "again");
  EXPECT_EQ(cache.find_note(digest(1)), "again");
}

TEST_F(KernelCacheTest, ANoteThatCannotBeKeptIsNoWarning) {
  write_bytes(caches, "a file where the directory should be");
  KernelCache cache(caches);
  const LogOfTest told;
  cache.store_note("of what", "note");
  EXPECT_TRUE(told.sentences().empty());
  EXPECT_EQ(cache.find_note("of what"), std::nullopt);
  cache.store(digest(1), image());
  EXPECT_EQ(told.sentences().size(), 1u) << "that is for kernels";
}

TEST_F(KernelCacheTest, AnUnwritableDirectoryIsOneWarningAndNoMore) {
  write_bytes(caches, "a file where the directory should be");
  KernelCache cache(caches);
  const LogOfTest told;
  cache.store(digest(1), image());
  cache.store(digest(2), image());
  ASSERT_EQ(told.sentences().size(), 1u);
  const std::string warning = told.sentences().front();
  EXPECT_NE(warning.find(caches.string()), std::string::npos) << warning;
  EXPECT_NE(warning.find("BITUNE_CACHE"), std::string::npos) << warning;
  EXPECT_EQ(cache.find(digest(1)), std::nullopt);
  EXPECT_EQ(cache.statistics().files, 0u);
  EXPECT_EQ(cache.clear(), 0u);
  EXPECT_EQ(bytes_of(caches), "a file where the directory should be");
}

TEST_F(KernelCacheTest, ADirectoryInTheFilesPlaceIsAMiss) {
  KernelCache cache(caches);
  std::filesystem::create_directories(file_of(digest(1)));
  EXPECT_EQ(cache.find(digest(1)), std::nullopt);
  const LogOfTest told;
  cache.store(digest(1), image());
  EXPECT_EQ(told.sentences().size(), 1u);
  EXPECT_EQ(files(), 0u) << "the temporary file is gone";
}

TEST_F(KernelCacheTest, ThreadsShareOneCache) {
  KernelCache cache(caches);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string bytes = "kernel " + std::to_string(i % 8);
        cache.store(digest(i % 8), image(bytes));
        const auto found = cache.find(digest((i + t) % 8));
        if (found && found->bytes != "kernel " + std::to_string((i + t) % 8)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files(), 8u);
}

TEST_F(KernelCacheTest, RacingProcessesSeeWholeImagesOnly) {
  // Both write different images of one kernel, and evict each other's: whatever is found must be one of the
  // two.
  const std::string versions[] = {std::string(20000, 'a'), std::string(30000, 'b')};
  const pid_t child = ::fork();
  const std::size_t mine = child == 0 ? 1 : 0;
  KernelCache cache(caches, 80000);
  int wrong = 0;
  for (int i = 0; i < 60; ++i) {
    cache.store(digest(i % 3), image(versions[mine]));
    const auto found = cache.find(digest((i + 1) % 3));
    if (found && found->bytes != versions[0] && found->bytes != versions[1]) ++wrong;
  }
  if (child == 0) ::_exit(wrong == 0 ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files(), cache.statistics().files) << "no temporary file is left";
}

TEST_F(KernelCacheTest, TheDefaultDirectoryFollowsTheEnvironment) {
  ::setenv("BITUNE_CACHE", "/a/cache", 1);
  EXPECT_EQ(KernelCache::default_directory(), "/a/cache");
  ::unsetenv("BITUNE_CACHE");
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(KernelCache::default_directory(), "/caches/bitune");
  if (before == nullptr) {
    ::unsetenv("XDG_CACHE_HOME");
  } else {
    ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  }
  EXPECT_EQ(KernelCache(caches).directory(), caches);
}

}  // namespace
}  // namespace bitune::test
