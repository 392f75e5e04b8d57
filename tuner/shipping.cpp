#include "tuner/shipping.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

/// A kernel and what compiles it.
struct Job {
  const Compiler* compiler;
  KernelSource source;
};

/// The tuned problems of a device. Behind and before each length is another: one that does not fill its tiles
/// is sorted by other kernels.
std::set<Problem> problems_to_ship(const TuningDatabase& tunings, const DeviceInfo& device) {
  TrialFilter filter;
  filter.device_digest = device.digest();
  std::set<Problem> problems;
  for (const TrialRow& best : tunings.best(filter)) {
    Problem problem = best.trial.problem;
    problems.insert(problem);
    const std::uint64_t n = problem.n;
    for (const std::uint64_t length : {n - n / 5, n + n / 5}) {
      problem.n = length;
      if (length > 1) problems.insert(problem);
    }
  }
  return problems;
}

/// Compiles jobs until there are none left, or one failed.
class Workers {
 public:
  Workers(const std::vector<Job>& jobs, const std::function<void(const ShippingProgress&)>& progress)
      : jobs_(jobs), progress_(progress) {}

  std::map<std::string, KernelImage> run() {
    {
      std::vector<std::jthread> threads;
      const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
      for (unsigned i = 0; i < cores; ++i) threads.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::move(images_);
  }

 private:
  void work() {
    for (std::size_t at = next_++; at < jobs_.size(); at = next_++) {
      try {
        const Job& job = jobs_[at];
        KernelImage image = job.compiler->compile(job.source);
        if (!image.target.ends_with(" cubin")) {
          throw Error(
              ErrorCode::unavailable,
              "this NVRTC makes no machine code for a GPU of these tunings, as it is older than the GPU; "
              "name a newer one by BITUNE_NVRTC");
        }
        image.log.clear();  // for who tunes; whoever is given the kernel only runs it
        add(job.compiler->archive_key(job.source), std::move(image));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = jobs_.size();
      }
    }
  }

  void add(std::string key, KernelImage image) {
    const std::lock_guard lock(mutex_);
    images_.emplace(std::move(key), std::move(image));
    progress_({++done_, jobs_.size()});
  }

  const std::vector<Job>& jobs_;
  const std::function<void(const ShippingProgress&)>& progress_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards all below
  std::map<std::string, KernelImage> images_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::vector<KernelSource> kernels_to_ship(const TuningDatabase& tunings, const DeviceInfo& device) {
  std::set<KernelSource> kernels;
  for (const Problem& problem : problems_to_ship(tunings, device)) {
    CandidateSet candidates;
    candidates.shipped = tunings.candidates(problem);
    const Configuration selected = select(problem, device, candidates).configuration;
    const Plan plan = variant(selected.variant).plan(problem, selected, device);
    kernels.insert(plan.kernels.begin(), plan.kernels.end());
  }
  return {kernels.begin(), kernels.end()};
}

std::map<std::string, KernelImage> compile_for_shipping(
    const TuningDatabase& tunings, const std::function<void(const ShippingProgress&)>& progress) {
  std::map<int, std::unique_ptr<Compiler>> compilers;  // by compute capability
  std::vector<Job> jobs;
  std::set<std::string> keys;
  for (const DeviceRow& row : tunings.devices()) {
    if (row.info.kind != "cuda") continue;
    auto& compiler = compilers[row.info.compute_capability()];
    if (compiler == nullptr) {
      compiler = cuda::make_nvrtc_compiler(row.info.compute_major, row.info.compute_minor);
    }
    for (KernelSource& source : kernels_to_ship(tunings, row.info)) {
      const std::string key = compiler->archive_key(source);
      if (!key.empty() && keys.insert(key).second) jobs.push_back({compiler.get(), std::move(source)});
    }
  }
  return Workers(jobs, progress).run();
}

}  // namespace bitune
