// A release ships the kernels of the tunings that the repository ships: all that calls of tuned lengths
// launch.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cache/kernel_archive.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/selector.hpp"
#include "tests/unit/cache/database_fixture.hpp"
#include "tuner/shipping.hpp"

namespace bitune::test {
namespace {

/// The shipped tunings, and for one of their GPUs the archive of a release, but for what is in its kernels:
/// no compiler is needed to know which they are.
class Release {
 public:
  Release(const TuningDatabase& tunings, const DeviceInfo& gpu, const std::filesystem::path& path)
      : compiler_(cuda::make_nvrtc_compiler(
            gpu.compute_major, gpu.compute_minor, [] { return cuda::NvrtcFacts(); }, nullptr)),
        archive_(path),
        selector_(
            gpu,
            [&tunings](const Problem& problem, std::string*) {
              return CandidateSet{.user = {}, .shipped = tunings.candidates(problem)};
            },
            variants()) {
    std::map<std::string, KernelImage> images;
    for (const KernelSource& kernel : kernels_to_ship(tunings, gpu)) {
      KernelImage& image = images[compiler_->archive_key(kernel)];
      image.lowered_name = kernel.name_expression;
      image.bytes = "machine code";
    }
    KernelArchive::write(path, images);
  }

  [[nodiscard]] const KernelArchive& archive() const { return archive_; }

  /// Whether the archive has all kernels of what is selected for the problem; names one that it lacks.
  [[nodiscard]] ::testing::AssertionResult sorts(const Problem& problem) {
    const Plan plan = selector_.plan(problem, selector_.select(problem).configuration);
    for (const KernelSource& kernel : plan.kernels) {
      if (archive_.find(compiler_->archive_key(kernel))) continue;
      return ::testing::AssertionFailure() << text_of(problem) << " lacks " << kernel.name_expression;
    }
    return ::testing::AssertionSuccess();
  }

 private:
  std::unique_ptr<Compiler> compiler_;
  KernelArchive archive_;
  Selector selector_;
};

using ShippedKernels = DirectoryTest;

TEST_F(ShippedKernels, SortWhatWasTuned) {
  const TuningDatabase tunings(BITUNE_TEST_DATA "/../../data/tunings.db", DatabaseMode::read_only);
  for (const DeviceRow& row : tunings.devices()) {
    if (row.info.kind != "cuda") continue;
    Release release(tunings, row.info, directory / row.info.digest());
    TrialFilter filter;
    filter.device_digest = row.info.digest();
    const std::vector<TrialRow> tuned = tunings.best(filter);
    EXPECT_GT(release.archive().size(), tuned.size()) << "each problem has kernels of its own";
    for (const TrialRow& best : tuned) {
      Problem problem = best.trial.problem;
      EXPECT_TRUE(release.sorts(problem));
      if (sorts_keys_alone(problem) && problem.rows == 1 && size_of(problem.key) == 8) {
        problem.key = KeyType::i64;  // what NumPy and PyTorch have by default
        EXPECT_TRUE(release.sorts(problem));
      }
      if (problem.operation != Operation::argsort) continue;
      // As Python asks, unless it is told otherwise; and as it asks for long arrays, whose indices it widens.
      problem.operation = Operation::sort;
      if (problem.rows == 1) EXPECT_TRUE(release.sorts(problem));
      problem.index_bytes = 8;
      EXPECT_TRUE(release.sorts(problem));
      problem.operation = Operation::argsort;
      EXPECT_TRUE(release.sorts(problem));
    }
  }
}

}  // namespace
}  // namespace bitune::test
