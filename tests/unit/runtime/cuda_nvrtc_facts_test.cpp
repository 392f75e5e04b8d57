#include "runtime/cuda/nvrtc_facts.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "runtime/cuda/nvrtc.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/cuda/nvrtc_search.hpp"

namespace bitune::cuda {
namespace {

namespace fs = std::filesystem;

/// Libraries of tests/fakes/nvrtc.cpp in a folder of their own, and a kernel cache beside them.
class KnownNvrtc : public testing::Test {
 protected:
  KnownNvrtc() {
    std::string pattern = (fs::temp_directory_path() / "bitune-known-nvrtc-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    search_ = {{(folder_ / "first.so").string(), library()}, 13};
    install(BITUNE_FAKE_NVRTC_12_4, library());
  }
  ~KnownNvrtc() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string library() const { return (folder_ / "libnvrtc.so").string(); }

  /// As a package manager does it: under another name first, with the time of the original.
  void install(const std::string& fake, const std::string& path) const {
    const fs::path temporary = folder_ / "temporary";
    fs::copy_file(fake, temporary);
    fs::last_write_time(temporary, long_ago_);
    fs::rename(temporary, path);
  }

  /// What a new process knows of NVRTC.
  [[nodiscard]] NvrtcFacts facts() {
    KernelCache cache(folder_ / "cache");
    return known_nvrtc(cache, search_, [this] {
      ++opened_;
      return open_nvrtc(search_).facts;
    });
  }

  /// The version that a new process knows, and whether it had to open the library: "12.4" or "12.4 opened".
  [[nodiscard]] std::string version() {
    const int before = opened_;
    const std::string version = facts().version();
    return opened_ == before ? version : version + " opened";
  }

  const fs::file_time_type long_ago_ = fs::file_time_type::clock::now() - std::chrono::hours(100);
  fs::path folder_;
  NvrtcSearch search_;
  std::atomic<int> opened_ = 0;
};

TEST_F(KnownNvrtc, IsOpenedOnce) {
  const NvrtcFacts opened = facts();
  EXPECT_EQ(opened.path, fs::canonical(library()).string());
  EXPECT_EQ(opened.version(), "12.4");
  EXPECT_EQ(opened.architectures, (std::vector<int>{84, 90}));
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(facts(), opened);
  EXPECT_EQ(facts(), opened);
  EXPECT_EQ(opened_, 1);
}

TEST_F(KnownNvrtc, AReplacedLibraryTellsItsOwnVersion) {
  EXPECT_EQ(version(), "12.4 opened");
  install(BITUNE_FAKE_NVRTC_13_1, library());
  EXPECT_EQ(version(), "13.1 opened");
  EXPECT_EQ(version(), "13.1");
  install(BITUNE_FAKE_NVRTC_12_4, library());
  EXPECT_EQ(version(), "12.4 opened");
}

TEST_F(KnownNvrtc, AWheelThatIsInstalledBesideThePackageIsTaken) {
  const fs::path package = folder_ / "bitune" / "lib";
  const fs::path wheel = folder_ / "nvidia" / "cu13" / "lib";
  fs::create_directories(wheel);
  const auto search_anew = [&] {
    search_.candidates = nvrtc_beside(package);
    search_.candidates.push_back(library());
  };
  search_anew();
  EXPECT_EQ(version(), "12.4 opened");
  install(BITUNE_FAKE_NVRTC_13_1, (wheel / "libnvrtc.so.13").string());
  search_anew();
  EXPECT_EQ(version(), "13.1 opened");
  EXPECT_EQ(version(), "13.1");
  fs::remove(wheel / "libnvrtc.so.13");
  search_anew();
  EXPECT_EQ(version(), "12.4") << "all is as it was";
}

TEST_F(KnownNvrtc, ALibraryThatIsWrittenOverIsOpenedAgain) {
  EXPECT_EQ(version(), "12.4 opened");
  {
    std::ifstream from(BITUNE_FAKE_NVRTC_13_1, std::ios::binary);
    std::ofstream(library(), std::ios::binary | std::ios::trunc) << from.rdbuf();  // the same inode
  }
  fs::last_write_time(library(), long_ago_);
  EXPECT_EQ(version(), "13.1 opened");
  EXPECT_EQ(version(), "13.1");
}

TEST_F(KnownNvrtc, ALinkThatLeadsElsewhereIsFollowed) {
  const fs::path newer = folder_ / "libnvrtc.so.13.1";
  install(BITUNE_FAKE_NVRTC_13_1, newer);
  const fs::path link = folder_ / "link.so";
  fs::create_symlink(library(), link);
  search_.candidates = {link.string()};
  EXPECT_EQ(version(), "12.4 opened");
  EXPECT_EQ(version(), "12.4");
  fs::remove(link);
  fs::create_symlink(newer, link);
  EXPECT_EQ(version(), "13.1 opened");
}

TEST_F(KnownNvrtc, ABetterCandidateThatAppearsIsTaken) {
  EXPECT_EQ(version(), "12.4 opened");
  install(BITUNE_FAKE_NVRTC_13_1, folder_ / "first.so");
  EXPECT_EQ(version(), "13.1 opened");
  fs::remove(folder_ / "first.so");
  EXPECT_EQ(version(), "12.4") << "all is as it was";
}

TEST_F(KnownNvrtc, ADriverThatKnowsMoreOrLessIsAnotherSearch) {
  install(BITUNE_FAKE_NVRTC_13_1, folder_ / "first.so");
  EXPECT_EQ(version(), "13.1 opened");
  search_.newest_major = 12;
  EXPECT_EQ(version(), "12.4 opened");
  search_.newest_major = 13;
  EXPECT_EQ(version(), "13.1");
}

TEST_F(KnownNvrtc, IsMissedAsEverWhereThereIsNone) {
  EXPECT_EQ(version(), "12.4 opened");
  fs::remove(library());
  for (int i = 0; i < 2; ++i) {
    try {
      (void)facts();
      FAIL() << "what is not there was found";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable);
      EXPECT_NE(std::string(error.what()).find("libnvrtc.so"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(opened_, 3);
}

TEST_F(KnownNvrtc, OneThatTheLoaderFindsByItsNameIsKnownToo) {
  const Library library = Library::open("libm.so.6");  // any that is in the loader's folders
  ASSERT_TRUE(library.is_open());
  const NvrtcFacts facts{library.path(), 13, 0, library.build_id(), {75, 90}};
  KernelCache cache(folder_ / "cache");
  int opened = 0;
  const auto open = [&] {
    ++opened;
    return facts;
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(known_nvrtc(cache, {{"libm.so.6"}, 13}, open), facts);
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(known_nvrtc(cache, {{"libm.so", "libm.so.6"}, 13}, open), facts);
  EXPECT_EQ(opened, 2) << "another search";
}

TEST_F(KnownNvrtc, ANoteOfAFileWhereNobodyLookedIsChecked) {
  const fs::path elsewhere = folder_ / "elsewhere.so";
  install(BITUNE_FAKE_NVRTC_12_4, elsewhere);
  const NvrtcFacts facts{elsewhere.string(), 12, 4, "", {90}};
  KernelCache cache(folder_ / "cache");
  note_nvrtc(cache, search_, facts);  // as if the loader had found it by a name
  EXPECT_EQ(this->facts(), facts) << "without a build id";
  EXPECT_EQ(opened_, 0);
  install(BITUNE_FAKE_NVRTC_13_1, elsewhere);
  EXPECT_EQ(version(), "12.4 opened");
}

TEST_F(KnownNvrtc, WithoutACacheToWriteItIsOpenedEveryTime) {
  std::ofstream(folder_ / "cache").put('x');
  testing::internal::CaptureStderr();
  EXPECT_EQ(version(), "12.4 opened");
  EXPECT_EQ(version(), "12.4 opened");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(KnownNvrtc, ThreadsKnowTheSame) {
  const NvrtcFacts expected = open_nvrtc(search_).facts;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { right += facts() == expected ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

bool nvrtc_is_loaded() {
  std::ostringstream maps;
  maps << std::ifstream("/proc/self/maps").rdbuf();
  return maps.str().find("fake_nvrtc") != std::string::npos;
}

/// 3 if a compiler's digests need no NVRTC that is open, and what shows NVRTC to people opens it.
int make_digests() {
  std::string pattern = (fs::temp_directory_path() / "bitune-closed-nvrtc-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  setenv("BITUNE_NVRTC", BITUNE_FAKE_NVRTC_13_1, 1);
  const auto cache = std::make_shared<KernelCache>(folder);
  note_nvrtc(*cache, nvrtc_search(), {BITUNE_FAKE_NVRTC_13_1, 13, 1, "", {90}});
  const auto compiler = make_nvrtc_compiler(
      9, 0, [cache] { return nvrtc_facts(cache.get()); }, cache);
  const bool named = compiler->identity().starts_with("nvrtc 13.1");
  const bool digested = !compiler->digest({"kernels/x.cuh", "x"}).empty();
  const bool loaded_before = nvrtc_is_loaded();
  const bool shown = nvrtc_info().version == "13.1";
  fs::remove_all(folder);
  return named && digested && !loaded_before && shown && nvrtc_is_loaded() ? 3 : 4;
}

// In a process of its own, which has opened no NVRTC before.
TEST(KnownNvrtcDeathTest, MakesDigestsWithoutOpeningTheLibrary) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(make_digests()), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace bitune::cuda
