// NVRTC without a GPU: targets, options, digests, reports, errors, threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <memory>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "runtime/background_work.hpp"
#include "runtime/cuda/nvrtc.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"

namespace bitune::cuda {
namespace {

// Registers, shared memory, a template, and a header that includes another.
const std::vector<HeaderText> planted = {
    {"planted/part.cuh",
     "#pragma once\nnamespace planted { template <class T> T twice(T x) { return x + x; } }\n"},
    {"planted/kernels.cuh", R"(#pragma once
#include "planted/part.cuh"
namespace planted {
template <class T, int values>
__global__ void __launch_bounds__(128) rotate(T* keys, unsigned n) {
  __shared__ T tile[128];
  T mine[values];
#pragma unroll
  for (int i = 0; i < values; ++i) mine[i] = twice(keys[threadIdx.x + 128 * i]);
  tile[threadIdx.x] = mine[0];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < values; ++i) {
    const unsigned at = threadIdx.x + 128 * i;
    if (at < n) keys[at] = mine[(i + 1) % values] + tile[threadIdx.x ^ 1];
  }
}
template <int values>
__global__ void indexed(unsigned* keys, unsigned n) {
  unsigned mine[values];
  for (unsigned i = 0; i < values; ++i) mine[i] = keys[i + threadIdx.x];
  for (unsigned i = 0; i < n; ++i) mine[keys[i] % values] += mine[keys[n + i] % values];
  for (unsigned i = 0; i < values; ++i) keys[i + threadIdx.x] = mine[i];
}
}
)"}};

const KernelSource rotate{"planted/kernels.cuh", "planted::rotate<unsigned, 8>"};

std::vector<int> architectures_or_skip() {
  try {
    return nvrtc_architectures();
  } catch (const Error&) {
    return {};
  }
}

/// A folder that is deleted again.
struct Scratch {
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bitune-nvrtc-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::filesystem::path path;
};

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    architectures_ = architectures_or_skip();
    if (architectures_.empty()) GTEST_SKIP() << "this machine has no NVRTC";
  }
  std::vector<int> architectures_;
};

TEST_F(Nvrtc, TellsItsPathAndVersion) {
  const NvrtcInfo info = nvrtc_info();
  EXPECT_TRUE(std::filesystem::exists(info.path)) << info.path;
  EXPECT_NE(info.version.find('.'), std::string::npos);
  EXPECT_TRUE(std::is_sorted(architectures_.begin(), architectures_.end()));
}

TEST_F(Nvrtc, CompilesForEveryArchitectureFromTuringOn) {
  for (const int architecture : architectures_) {
    if (architecture < 75) continue;
    const auto compiler = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
    const KernelImage image = compiler->compile(rotate);
    EXPECT_EQ(image.target, "sm_" + std::to_string(architecture) + " cubin");
    EXPECT_EQ(image.bytes.substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_NE(image.lowered_name.find("rotate"), std::string::npos);
    EXPECT_GT(image.registers, 0) << image.log;
    EXPECT_LE(image.registers, 255);
    EXPECT_EQ(image.local_bytes, 0) << image.log;
  }
}

TEST_F(Nvrtc, ReportsTheStackOfAnIndexedArray) {
  const int architecture = architectures_.back();
  const auto compiler = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  const KernelImage image = compiler->compile({"planted/kernels.cuh", "planted::indexed<64>"});
  EXPECT_GE(image.local_bytes, 64 * 4) << image.log;
}

TEST_F(Nvrtc, CompilesPtxForAnUnknownNewerGpu) {
  const int largest = architectures_.back();
  const auto compiler = make_nvrtc_compiler(largest / 10 + 1, 7, planted);
  const KernelImage image = compiler->compile(rotate);
  EXPECT_EQ(image.target, "compute_" + std::to_string(largest) + " ptx");
  EXPECT_NE(image.bytes.find(".entry"), std::string::npos);
  EXPECT_NE(image.bytes.back(), '\0');
  EXPECT_EQ(image.registers, -1);
  EXPECT_EQ(image.local_bytes, -1);
}

TEST_F(Nvrtc, RefusesAGpuOlderThanItKnows) {
  try {
    (void)make_nvrtc_compiler(1, 0);
    FAIL() << "sm_10 was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

TEST_F(Nvrtc, NamesItsBuildAndTargetInItsIdentity) {
  const int architecture = architectures_.front();
  const std::string identity = make_nvrtc_compiler(architecture / 10, architecture % 10)->identity();
  EXPECT_NE(identity.find("nvrtc " + nvrtc_info().version), std::string::npos) << identity;
  EXPECT_NE(identity.find("sm_" + std::to_string(architecture) + " cubin"), std::string::npos) << identity;
}

TEST_F(Nvrtc, DigestChangesWithAllThatGoesIntoTheImage) {
  const int first = architectures_.front();
  const int last = architectures_.back();
  const auto base = make_nvrtc_compiler(first / 10, first % 10, planted);
  auto changed_headers = planted;
  changed_headers[0].text += "// a comment\n";
  auto renamed_headers = planted;
  renamed_headers[0].path = "planted/other.cuh";

  std::set<std::string> digests = {
      base->digest(rotate),
      base->digest({rotate.header, "planted::rotate<unsigned, 16>"}),
      base->digest({"planted/part.cuh", rotate.name_expression}),
      make_nvrtc_compiler(last / 10, last % 10, planted)->digest(rotate),
      make_nvrtc_compiler(last / 10 + 1, 0, planted)->digest(rotate),
      make_nvrtc_compiler(first / 10, first % 10, changed_headers)->digest(rotate),
      make_nvrtc_compiler(first / 10, first % 10, renamed_headers)->digest(rotate),
  };
  EXPECT_EQ(digests.size(), 7u);
  EXPECT_EQ(make_nvrtc_compiler(first / 10, first % 10, planted)->digest(rotate), base->digest(rotate));
}

TEST_F(Nvrtc, KnownFactsGiveTheSameDigests) {
  const int architecture = architectures_.back();
  const Scratch folder;
  const auto cache = std::make_shared<KernelCache>(folder.path);
  const auto opened = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  for (int i = 0; i < 2; ++i) {
    const NvrtcFacts facts = nvrtc_facts(cache.get());
    EXPECT_EQ(facts, nvrtc_facts(nullptr));
    const auto known = make_nvrtc_compiler(
        architecture / 10, architecture % 10, [facts] { return facts; }, cache, planted);
    EXPECT_EQ(known->identity(), opened->identity());
    EXPECT_EQ(known->digest(rotate), opened->digest(rotate));
    EXPECT_EQ(known->compile(rotate).bytes, opened->compile(rotate).bytes);
    EXPECT_EQ(known->digest(rotate), opened->digest(rotate));
  }
  EXPECT_EQ(cache->statistics().files, 1u);
}

TEST_F(Nvrtc, FactsThatTurnOutToBeOutdatedAreReplaced) {
  const int architecture = architectures_.back();
  const Scratch folder;
  const auto cache = std::make_shared<KernelCache>(folder.path);
  const NvrtcFacts right = nvrtc_facts(nullptr);
  NvrtcFacts outdated = right;
  outdated.minor += 1;
  outdated.build_id = "0123456789abcdef";
  note_nvrtc(*cache, nvrtc_search(), outdated);
  ASSERT_EQ(nvrtc_facts(cache.get()), outdated);

  const auto opened = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  const auto compiler = make_nvrtc_compiler(
      architecture / 10, architecture % 10, [outdated] { return outdated; }, cache, planted);
  EXPECT_NE(compiler->identity(), opened->identity());
  EXPECT_NE(compiler->digest(rotate), opened->digest(rotate));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      (void)compiler->compile(rotate);
      EXPECT_EQ(compiler->digest(rotate), opened->digest(rotate));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiler->identity(), opened->identity());
  EXPECT_EQ(nvrtc_facts(cache.get()), right);
}

TEST_F(Nvrtc, SaysWhichKernelDoesNotCompileAndWhy) {
  const int architecture = architectures_.back();
  const auto compiler =
      make_nvrtc_compiler(architecture / 10, architecture % 10,
                          {{"planted/wrong.cuh", "__global__ void wrong(int* p) { *p = no_such_name; }\n"}});
  const auto refusal = [&](const KernelSource& source) -> std::string {
    try {
      (void)compiler->compile(source);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::compile);
      return error.what();
    }
    ADD_FAILURE() << source.name_expression << " compiled";
    return {};
  };
  const std::string wrong = refusal({"planted/wrong.cuh", "wrong"});
  EXPECT_NE(wrong.find("kernel 'wrong' of planted/wrong.cuh"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("no_such_name"), std::string::npos) << wrong;
  EXPECT_NE(refusal({"planted/missing.cuh", "f"}).find("planted/missing.cuh"), std::string::npos);
  EXPECT_NE(refusal({"planted/wrong.cuh", "no_such_kernel"}).find("no_such_kernel"), std::string::npos);
}

TEST_F(Nvrtc, ReadsNoHeaderFromTheDisk) {
  const int architecture = architectures_.back();
  const auto compiler = make_nvrtc_compiler(
      architecture / 10, architecture % 10,
      {{"planted/reads.cuh", "#include <vector>\n__global__ void k(int* p) { *p = 1; }\n"}});
  EXPECT_THROW((void)compiler->compile({"planted/reads.cuh", "k"}), Error);
}

TEST_F(Nvrtc, CompilesInSeveralThreadsAtOnce) {
  const int architecture = architectures_.back();
  const auto compiler = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  constexpr int count = 8;
  std::vector<KernelImage> images(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      images[static_cast<std::size_t>(i)] =
          compiler->compile({rotate.header, "planted::rotate<unsigned, " + std::to_string(i + 1) + ">"});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> names;
  for (const KernelImage& image : images) {
    EXPECT_GT(image.registers, 0);
    names.insert(image.lowered_name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(images[3].bytes, compiler->compile({rotate.header, "planted::rotate<unsigned, 4>"}).bytes);
}

TEST_F(Nvrtc, StopsWhenItIsAsked) {
  if (nvrtc().set_flow_callback == nullptr) GTEST_SKIP() << "this NVRTC cannot be asked";
  const int architecture = architectures_.back();
  const auto compiler = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  std::stop_source stop;
  EXPECT_GT(compiler->compile(rotate, stop.get_token()).registers, 0) << "nobody has asked yet";
  stop.request_stop();
  try {
    (void)compiler->compile(rotate, stop.get_token());
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::compile);
    EXPECT_THAT(error.what(), testing::HasSubstr("was stopped"));
  }
  EXPECT_GT(compiler->compile(rotate).registers, 0) << "the next one is another";
}

/// Exits while a kernel is compiled in the background.
[[noreturn]] void exit_while_compiling(int architecture) {
  static const auto compiler = make_nvrtc_compiler(architecture / 10, architecture % 10, planted);
  compiler->open();
  static std::latch begun(1);
  auto* const work = new BackgroundWork(1);
  work->add([] {
    begun.count_down();
    static_cast<void>(compiler->compile({rotate.header, "planted::rotate<unsigned, 400>"}));
    std::fputs("compiled\n", stderr);
  });
  begun.wait();
  std::exit(3);
}

using NvrtcDeathTest = Nvrtc;

TEST_F(NvrtcDeathTest, IsThereUntilTheLastCompilationEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_while_compiling(architectures_.back()), testing::ExitedWithCode(3), "compiled");
}

}  // namespace
}  // namespace bitune::cuda
