// What a problem is sorted with until its best configuration is compiled.

#include "runtime/prepared_sorts.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "bitune/error.hpp"
#include "cache/kernel_archive.hpp"
#include "runtime/sort_engine.hpp"
#include "tests/support/engine_calls.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune {
namespace prepared_test {
namespace {

using testing_support::sort_keys;

/// A variant with kernels of its own.
fake::Variant variant_of(const std::string& name, bool quick, std::uint64_t workspace_bytes) {
  fake::Variant variant(name, workspace_bytes);
  variant.header = name + ".cuh";
  variant.quick = quick;
  return variant;
}

const fake::Variant other = variant_of("other", false, 0);
const fake::Variant quick = variant_of("quick", true, 8192);
const fake::Variant slow = variant_of("slow", false, 4096);
// The last one that can sort a problem is the best.
const std::array<const Variant*, 3> all = {&other, &quick, &slow};

Problem u32(std::uint64_t n) { return {{.key = KeyType::u32}, {.n = n}}; }

/// A folder with an archive of the kernels of some headers.
class Shipped {
 public:
  explicit Shipped(const std::vector<std::string>& headers) {
    std::string pattern = (std::filesystem::temp_directory_path() / "bitune-soon-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const fake::Compiler compiler;
    std::map<std::string, KernelImage> images;
    for (const std::string& header : headers) {
      const KernelSource source{header, fake::kernel_name(u32(64))};
      images.emplace(compiler.archive_key(source), compiler.compile(source));
    }
    KernelArchive::write(folder_ / "k.kernels", images);
    archive = std::make_shared<const KernelArchive>(folder_ / "k.kernels");
  }
  ~Shipped() { std::filesystem::remove_all(folder_); }

  std::shared_ptr<const KernelArchive> archive;

 private:
  std::filesystem::path folder_;
};

class SoonTest : public testing::Test {
 protected:
  /// The kernels of this variant compile only when `release` says so.
  void hold(const std::string& name) {
    device->fake_compiler.on_source = [this, name](const KernelSource& source) {
      if (source.header != name + ".cuh") return;
      std::call_once(first_, [this] { begun.count_down(); });
      release.wait();
    };
  }

  static CandidateSet no_tunings(const Problem&, std::string*) { return {}; }

  [[nodiscard]] Preparation how(const std::shared_ptr<const KernelArchive>& archive) const {
    return {.capacity = 16, .shipped_kernels = archive, .patience = patience};
  }
  std::unique_ptr<PreparedSorts> make(const std::shared_ptr<const KernelArchive>& archive = nullptr) {
    return std::make_unique<PreparedSorts>(device, nullptr, no_tunings, all, how(archive));
  }
  std::unique_ptr<SortEngine> engine(const std::shared_ptr<const KernelArchive>& archive = nullptr) {
    return std::make_unique<SortEngine>(device, nullptr, no_tunings, all, "", how(archive));
  }

  std::shared_ptr<fake::Device> device = std::make_shared<fake::Device>();
  std::chrono::milliseconds patience{0};
  std::latch begun{1};
  std::latch release{1};

 private:
  std::once_flag first_;
};

TEST_F(SoonTest, AStandInSortsUntilTheBestIsCompiled) {
  hold("slow");
  const auto sorts = make();
  const auto stand_in = sorts->soon(u32(64));
  EXPECT_EQ(stand_in->selection.configuration.variant, "quick");
  EXPECT_TRUE(stand_in->is_stand_in());
  EXPECT_EQ(stand_in->awaited, "slow(tile=1)");
  EXPECT_EQ(sorts->soon(u32(64)), stand_in) << "nothing is made twice";
  release.count_down();
  const LaterSort later = result_of(stand_in->better);
  ASSERT_NE(later.made, nullptr) << later.failure;
  EXPECT_EQ(later.made->selection.configuration.variant, "slow");
  EXPECT_FALSE(later.made->is_stand_in());
  EXPECT_EQ(sorts->find(u32(64)), later.made);
  EXPECT_EQ(device->fake_compiler.compiles, 2);
}

TEST_F(SoonTest, NobodyWaitsForTheBackgroundButWhoPrepares) {
  hold("slow");
  const auto sorts = make();
  const auto stand_in = sorts->soon(u32(64));
  std::thread releases([this] {
    begun.wait();
    release.count_down();
  });
  EXPECT_EQ(sorts->best(u32(64))->selection.configuration.variant, "slow");
  releases.join();
  static_cast<void>(result_of(stand_in->better));
  EXPECT_EQ(sorts->find(u32(64))->selection.configuration.variant, "slow");
  EXPECT_EQ(device->fake_compiler.compiles, 2) << "both wanted one kernel";
}

TEST_F(SoonTest, WhatIsReadyNeedsNoStandIn) {
  const Shipped shipped({"slow.cuh"});
  const auto prepared = make(shipped.archive)->soon(u32(64));
  EXPECT_EQ(prepared->selection.configuration.variant, "slow");
  EXPECT_FALSE(prepared->is_stand_in());
  EXPECT_EQ(prepared->kernels.shipped, 1);
  EXPECT_EQ(device->fake_compiler.compiles, 0);
}

TEST_F(SoonTest, WhatIsReadyFurtherDownStandsInBeforeWhatCompilesFast) {
  const Shipped shipped({"other.cuh"});
  hold("slow");
  const auto sorts = make(shipped.archive);
  const auto prepared = sorts->soon(u32(64));
  EXPECT_EQ(prepared->selection.configuration.variant, "other");
  EXPECT_TRUE(prepared->is_stand_in());
  release.count_down();
}

TEST_F(SoonTest, PatienceWaitsForWhatIsSoonCompiled) {
  patience = std::chrono::hours(1);
  const auto prepared = make()->soon(u32(64));
  EXPECT_EQ(prepared->selection.configuration.variant, "slow");
  EXPECT_FALSE(prepared->is_stand_in());
  EXPECT_EQ(device->fake_compiler.compiles, 1);
}

TEST_F(SoonTest, WithoutPatienceTheCompilerIsWaitedFor) {
  const PreparedSorts sorts(device, nullptr, no_tunings, all,
                            {.capacity = 16, .shipped_kernels = nullptr, .patience = {}});
  EXPECT_EQ(const_cast<PreparedSorts&>(sorts).soon(u32(64))->selection.configuration.variant, "slow");
  EXPECT_EQ(device->fake_compiler.compiles, 1);
}

TEST_F(SoonTest, WhatDoesNotCompileLeavesTheStandInAndSaysSo) {
  device->fake_compiler.on_source = [](const KernelSource& source) {
    if (source.header == "slow.cuh") throw Error(ErrorCode::compile, "slow.cuh does not compile");
  };
  const auto sorts = engine();
  std::vector<std::uint32_t> keys = {3, 1, 2};
  sort_keys(*sorts, keys.data(), u32(3));
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1, 2, 3}));
  device->capturing = true;  // waits for the background
  sort_keys(*sorts, keys.data(), u32(3));
  const Explanation told = sorts->explain(u32(3));
  EXPECT_EQ(told.configuration, "quick(tile=1)");
  EXPECT_EQ(told.awaited, "");
  EXPECT_NE(told.reason.find("stands in for slow(tile=1), which could not be prepared: slow.cuh does not"),
            std::string::npos)
      << told.reason;
  EXPECT_THROW((void)sorts->prepare(u32(3)), Error) << "who wants the best is told";
}

TEST_F(SoonTest, WithoutACompilerWhatIsShippedSorts) {
  device->fake_compiler.missing = true;
  const Shipped shipped({"quick.cuh"});
  const auto sorts = engine(shipped.archive);
  std::vector<std::uint32_t> keys = {3, 1, 2};
  sort_keys(*sorts, keys.data(), u32(3));
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1, 2, 3}));
  const Explanation told = sorts->explain(u32(3));
  EXPECT_EQ(told.configuration, "quick(tile=1)");
  EXPECT_EQ(told.shipped_kernels, 1);
  EXPECT_NE(
      told.reason.find("slow(tile=1) would be better, but cannot be compiled: there is no fake compiler"),
      std::string::npos)
      << told.reason;
}

TEST_F(SoonTest, WithoutACompilerAndWithNothingReadyTheErrorSaysWhatIsMissing) {
  device->fake_compiler.missing = true;
  const auto sorts = make();
  try {
    static_cast<void>(sorts->soon(u32(64)));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_STREQ(error.what(), "there is no fake compiler");
  }
}

TEST_F(SoonTest, ExplainTellsOfTheStandInAndOfWhereKernelsCameFrom) {
  hold("slow");
  const auto sorts = engine();
  std::vector<std::uint32_t> keys = {3, 1, 2};
  sort_keys(*sorts, keys.data(), u32(3));
  Explanation told = sorts->explain(u32(3));
  EXPECT_EQ(told.configuration, "quick(tile=1)");
  EXPECT_EQ(told.awaited, "slow(tile=1)");
  EXPECT_NE(told.reason.find("stands in for slow(tile=1), which is being compiled in the background"),
            std::string::npos)
      << told.reason;
  EXPECT_EQ(told.compiled_kernels, 1);
  release.count_down();
  sorts->prepare(u32(3));
  told = sorts->explain(u32(3));
  EXPECT_EQ(told.configuration, "slow(tile=1)");
  EXPECT_EQ(told.awaited, "");
}

TEST_F(SoonTest, AGraphGetsTheBest) {
  hold("slow");
  const auto sorts = engine();
  std::vector<std::uint32_t> keys = {3, 1, 2};
  sort_keys(*sorts, keys.data(), u32(3));
  const int compiled_before = device->fake_compiler.compiles;
  release.count_down();
  device->capturing = true;
  sort_keys(*sorts, keys.data(), u32(3));
  EXPECT_EQ(sorts->explain(u32(3)).configuration, "slow(tile=1)");
  EXPECT_LE(device->fake_compiler.compiles, compiled_before + 1);
}

TEST_F(SoonTest, AWorkspaceForTheBestIsEnough) {
  hold("slow");
  const auto sorts = engine();
  EXPECT_EQ(sorts->workspace_size(u32(3)), 4096u) << "of the best, before anything is compiled";
  std::vector<std::uint32_t> keys = {3, 1, 2};
  alignas(256) static std::array<std::byte, 4096> memory;
  Operands operands = packed_operands(u32(3), keys.data());
  operands[Role::workspace] = {memory.data(), memory.size(), 0};
  sorts->run(u32(3), operands, nullptr);
  EXPECT_EQ(sorts->workspace_size(u32(3)), 4096u) << "of the best, while another stands in";
  int allocations = device->allocations;
  sorts->run(u32(3), operands, nullptr);
  EXPECT_EQ(device->allocations, allocations + 1) << "the stand-in takes more, and allocates it";
  release.count_down();
  sorts->prepare(u32(3));
  allocations = device->allocations;
  sorts->run(u32(3), operands, nullptr);
  EXPECT_EQ(device->allocations, allocations);
  operands[Role::workspace].elements = 4095;
  EXPECT_THROW(sorts->run(u32(3), operands, nullptr), Error);
}

TEST_F(SoonTest, ThreadsThatMeetANewProblemShareItsStandIn) {
  hold("slow");
  const auto sorts = make();
  std::array<PreparedSorts::Pointer, 8> found;
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found) threads.emplace_back([&] { mine = sorts->soon(u32(64)); });
  }
  for (const auto& mine : found) EXPECT_EQ(mine, found.front());
  release.count_down();
  EXPECT_NE(result_of(found.front()->better).made, nullptr);
  EXPECT_EQ(device->fake_compiler.compiles, 2);
}

TEST_F(SoonTest, TheEndDropsWhatHasNotBegun) {
  hold("slow");
  auto sorts = make();
  std::vector<std::shared_future<LaterSort>> later;
  // More than there are threads, each with a kernel of its own.
  for (const KeyType key :
       {KeyType::u32, KeyType::i32, KeyType::f32, KeyType::u16, KeyType::i16, KeyType::u8}) {
    later.push_back(sorts->soon({{.key = key}, {.n = 64}})->better);
  }
  begun.wait();
  std::thread ends([&] { sorts.reset(); });
  // What has not begun is dropped at once; its futures say so while the others are still held.
  EXPECT_EQ(result_of(later.back()).failure, "the process ends");
  release.count_down();
  ends.join();
  EXPECT_NE(result_of(later.front()).made, nullptr);
}

}  // namespace
}  // namespace prepared_test
}  // namespace bitune
