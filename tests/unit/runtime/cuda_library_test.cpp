#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/library.hpp"
#include "runtime/cuda/nvrtc_search.hpp"
#include "runtime/own_folders.hpp"

namespace bitune::cuda {
namespace {

namespace fs = std::filesystem;

/// Sets an environment variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    had_ = getenv(name) != nullptr;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

/// A folder that is deleted again.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "bitune-nvrtc-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] fs::path touch(const std::string& relative) const {
    fs::create_directories((path_ / relative).parent_path());
    std::ofstream(path_ / relative).put('x');
    return path_ / relative;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::size_t position(const std::vector<std::string>& candidates, const std::string& name) {
  return static_cast<std::size_t>(std::find(candidates.begin(), candidates.end(), name) - candidates.begin());
}

TEST(Library, OpensTheCLibraryAndTellsItsPathAndBuild) {
  const Library library = Library::open("libc.so.6");
  ASSERT_TRUE(library.is_open());
  EXPECT_TRUE(fs::exists(library.path())) << library.path();
  EXPECT_NE(library.symbol("getenv"), nullptr);
  EXPECT_EQ(library.symbol("no_such_symbol_anywhere"), nullptr);
  for (const char c : library.build_id()) EXPECT_TRUE(isxdigit(static_cast<unsigned char>(c)) != 0);
  EXPECT_GE(library.build_id().size(), 16u);
}

TEST(Library, SaysWhyItDoesNotOpen) {
  std::string problem;
  const Library library = Library::open("libno_such_library.so.7", &problem);
  EXPECT_FALSE(library.is_open());
  EXPECT_NE(problem.find("libno_such_library.so.7"), std::string::npos);
  EXPECT_EQ(library.symbol("getenv"), nullptr);
  EXPECT_EQ(library.build_id(), "");
}

TEST(Library, MovesItsHandle) {
  Library first = Library::open("libc.so.6");
  const Library second = std::move(first);
  EXPECT_TRUE(second.is_open());
  EXPECT_NE(second.symbol("malloc"), nullptr);
}

TEST(NvrtcSearch, TriesOnlyTheNamedLibraryIfOneIsNamed) {
  const ScopedVariable named("BITUNE_NVRTC", "/opt/somewhere/libnvrtc.so.13");
  EXPECT_EQ(nvrtc_candidates(), std::vector<std::string>{"/opt/somewhere/libnvrtc.so.13"});
}

TEST(NvrtcSearch, ListsAFolderWithTheHighestVersionFirst) {
  const ScratchFolder folder;
  for (const char* name : {"libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.12.9.1",
                           "libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0"}) {
    (void)folder.touch(name);
  }
  std::vector<std::string> names;
  for (const std::string& path : nvrtc_in_folder(folder.path().string()))
    names.push_back(fs::path(path).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12.9.1", "libnvrtc.so.12",
                                             "libnvrtc.so"}));
  EXPECT_TRUE(nvrtc_in_folder((folder.path() / "missing").string()).empty());
}

TEST(NvrtcSearch, LooksInToolkitsAndInTheWheelsOfAPythonEnvironment) {
  const ScratchFolder folder;
  const std::string toolkit = folder.touch("cuda/lib64/libnvrtc.so.13").string();
  const std::string wheel_13 =
      folder.touch("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13").string();
  const std::string wheel_12 =
      folder.touch("venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12").string();
  const ScopedVariable no_choice("BITUNE_NVRTC", "");
  const ScopedVariable home("CUDA_HOME", (folder.path() / "cuda").string());
  const ScopedVariable python("VIRTUAL_ENV", (folder.path() / "venv").string());
  const std::vector<std::string> candidates = nvrtc_candidates();
  ASSERT_LT(position(candidates, toolkit), candidates.size());
  ASSERT_LT(position(candidates, wheel_13), candidates.size());
  ASSERT_LT(position(candidates, wheel_12), candidates.size());
  EXPECT_LT(position(candidates, "libnvrtc.so.13"), position(candidates, toolkit));
  EXPECT_LT(position(candidates, toolkit), position(candidates, wheel_13));
}

TEST(NvrtcSearch, LooksInTheWheelsBesideAPythonPackage) {
  const ScratchFolder site;
  const std::vector<std::string> expected{
      site.touch("bitune/lib/libnvrtc.so.12.4").string(),
      site.touch("nvidia/cu13/lib/libnvrtc.so.13").string(),
      site.touch("nvidia/cuda_nvrtc/lib/libnvrtc.so.12").string(),
  };
  (void)site.touch("nvidia/cu13/lib/libnvrtc-builtins.so.13.0");
  EXPECT_EQ(nvrtc_beside(site.path() / "bitune" / "lib"), expected);
  EXPECT_EQ(nvrtc_beside(site.path() / "bitune" / "bin"),
            (std::vector<std::string>{expected[1], expected[2]}));
}

TEST(NvrtcSearch, BeginsWithWhatWasInstalledWithTheProgram) {
  const ScopedVariable no_choice("BITUNE_NVRTC", "");
  const std::vector<std::string> candidates = nvrtc_candidates();
  const std::size_t loader = position(candidates, "libnvrtc.so.13");
  for (const fs::path& folder : own_folders()) {
    for (const std::string& path : nvrtc_beside(folder))
      EXPECT_LT(position(candidates, path), loader) << path;
  }
}

TEST(OwnFolders, NameEachFolderOnce) {
  // This code is part of the executable here.
  EXPECT_EQ(own_folders(), std::vector<fs::path>{fs::canonical("/proc/self/exe").parent_path()});
}

}  // namespace
}  // namespace bitune::cuda
