// Kernels that are shipped with tunings: which they are, and that they are found again without a compiler.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "bitune/error.hpp"
#include "cache/kernel_archive.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/unit/cache/database_fixture.hpp"
#include "tuner/shipping.hpp"

namespace bitune::test {
namespace {

Problem two_rows(std::uint64_t n = 1024) {
  Problem rows = problem(n);
  rows.rows = 2;
  return rows;
}

/// Tunings of one problem on a GPU that NVRTC compiles for, and on an emulated device.
class Shipping : public DirectoryTest {
 protected:
  Shipping() : tunings(directory / "tunings.db", DatabaseMode::read_write) {
    for (const DeviceInfo& device : {gpu, emulated()}) {
      const auto session = tunings.begin_session(device, software(), {});
      const auto configuration = variant("rows").default_configuration(two_rows(), device);
      Trial stored = trial(two_rows(), configuration.text(), 5);
      stored.kernel_digest = "of other kernels";
      tunings.store(session, stored);
    }
  }

  DeviceInfo gpu = h200();
  TuningDatabase tunings;
};

TEST_F(Shipping, TakesTheKernelsOfTunedLengthsAndOfThoseBetween) {
  const auto kernels = kernels_to_ship(tunings, gpu);
  const auto has = [&](std::uint64_t n) {
    const Problem asked = two_rows(n);
    CandidateSet candidates;
    candidates.shipped = tunings.candidates(asked);
    const auto selected = select(asked, gpu, candidates);
    const Plan plan = variant(selected.configuration.variant).plan(asked, selected.configuration, gpu);
    return std::all_of(plan.kernels.begin(), plan.kernels.end(), [&](const KernelSource& kernel) {
      return std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
    });
  };
  EXPECT_TRUE(has(1024));
  EXPECT_TRUE(has(1000)) << "a tile that is not full";
  EXPECT_EQ(std::set<KernelSource>(kernels.begin(), kernels.end()).size(), kernels.size());
}

TEST_F(Shipping, TakesArraysOfAllTypesThatAreAsWideAndIndicesOfEitherWidth) {
  const auto take = [&](const Problem& tuned) {
    TuningDatabase database(directory / "other.db", DatabaseMode::read_write);
    const auto& family = variant(sorts_keys_alone(tuned) ? "rows" : "rows_by_place");
    Trial stored = trial(tuned, family.default_configuration(tuned, gpu).text(), 5);
    database.store(database.begin_session(gpu, software(), {}), stored);
    std::string names;
    for (const KernelSource& kernel : kernels_to_ship(database, gpu)) names += kernel.name_expression + '\n';
    std::filesystem::remove(directory / "other.db");
    return names;
  };
  const std::string wide = take(problem(1024, KeyType::u64));
  for (const char* codec : {"Codec<8, bitune::KeyClass::signed", "Codec<8, bitune::KeyClass::floating"}) {
    EXPECT_NE(wide.find(codec), wide.npos) << codec;
  }
  EXPECT_EQ(wide.find("Codec<4"), wide.npos);
  Problem argsort = problem();
  argsort.operation = Operation::argsort;
  argsort.index_bytes = 4;
  argsort.stable = true;
  const std::string indices = take(argsort);
  // Bytes of a value and of an index, and whether keys are written.
  for (const char* written : {" 0, 4, false", " 0, 8, false", " 0, 8, true"}) {
    EXPECT_NE(indices.find(written), indices.npos) << written << " is not among " << indices;
  }
}

TEST_F(Shipping, CompilesForGpusAloneAndNamesKernelsAlikeForEachBuildOfTheCompiler) {
  cuda::NvrtcFacts facts;
  try {
    facts = cuda::nvrtc_facts(nullptr);
  } catch (const Error&) {
    GTEST_SKIP() << "this machine has no NVRTC";
  }
  std::size_t told = 0;
  KernelCache cache(directory / "cache");
  const auto images = compile_for_shipping(
      tunings, cache, [&told](const ShippingProgress& progress) { EXPECT_EQ(progress.done, ++told); });
  EXPECT_EQ(told, images.size());
  EXPECT_EQ(cache.statistics().files, images.size()) << "so that shipping again compiles what is new";
  const auto kernels = kernels_to_ship(tunings, gpu);
  ASSERT_EQ(images.size(), kernels.size());
  const auto path = directory / "tunings.kernels";
  KernelArchive::write(path, images);
  const KernelArchive archive(path);

  cuda::NvrtcFacts newer = facts;
  newer.build_id = "of another build";
  newer.minor += 1;
  const auto compiler = cuda::make_nvrtc_compiler(
      9, 0, [newer] { return newer; }, nullptr);
  for (const KernelSource& kernel : kernels) {
    const auto image = archive.find(compiler->archive_key(kernel));
    ASSERT_TRUE(image) << kernel.name_expression;
    EXPECT_EQ(image->target, "sm_90 cubin");
    EXPECT_EQ(image->bytes.substr(1, 3), "ELF");
  }
  const ShippedKernels found = look_for_kernels(tunings, archive);
  EXPECT_EQ(found.needed, kernels.size());
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(look_for_kernels(tunings, KernelArchive(directory / "none")).missing, kernels);
  TrialFilter of_others;
  of_others.key = KeyType::u64;
  EXPECT_EQ(look_for_kernels(tunings, archive, of_others).needed, 0U);
  EXPECT_EQ(archive.find(cuda::make_nvrtc_compiler(
                             8, 0, [newer] { return newer; }, nullptr)
                             ->archive_key(kernels[0])),
            std::nullopt)
      << "of another GPU";
  EXPECT_EQ(compiler->archive_key({"kernels/no_such_header.cuh", "f"}), "");
  EXPECT_EQ(cuda::make_nvrtc_compiler(9, 0, {{kernels[0].header, "int changed;"}})->archive_key(kernels[0]),
            "");
}

}  // namespace
}  // namespace bitune::test
