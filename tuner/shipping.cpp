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
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/selector.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

/// A kernel and what compiles it.
struct Job {
  const Compiler* compiler;
  KernelSource source;
  std::string key;  ///< in an archive
};

/// What is asked for most where a problem was tuned. An array of keys alone may have those of any type of
/// this width: they are sorted by the same tunings. Indices of 4 bytes were tuned; those of the array API
/// have 8, and who asks for them may want the keys, too. Of long arrays the faces make 8 bytes of 4.
std::vector<Problem> sorted_alike(const Problem& tuned) {
  std::vector<Problem> found = {tuned};
  if (sorts_keys_alone(tuned) && tuned.kind() == ShapeKind::array) {
    for (const KeyType key : all_key_types) {
      if (size_of(key) != size_of(tuned.key)) continue;
      found.push_back(tuned);
      found.back().key = key;
    }
  }
  if (tuned.index_bytes == 0) return found;
  Problem wide = tuned;
  wide.index_bytes = 8;
  found.push_back(wide);
  if (writes_keys(tuned)) return found;
  Problem with_keys = tuned;
  with_keys.operation = facts_of(tuned.operation).with_keys;
  if (tuned.rows == 1) found.push_back(with_keys);
  with_keys.index_bytes = 8;
  found.push_back(with_keys);
  return found;
}

/// The tuned problems of a device. Behind and before each length is another: one that does not fill its tiles
/// is sorted by other kernels.
std::set<Problem> problems_to_ship(const TuningDatabase& tunings, const DeviceInfo& device,
                                   TrialFilter filter) {
  filter.device_digest = device.digest();
  std::set<Problem> problems;
  for (const TrialRow& best : tunings.best(filter)) {
    for (Problem problem : sorted_alike(best.trial.problem)) {
      problems.insert(problem);
      const std::uint64_t n = problem.n;
      for (const std::uint64_t length : {n - n / 5, n + n / 5}) {
        problem.n = length;
        if (length > std::max<std::uint64_t>(problem.k, 1)) problems.insert(problem);
      }
    }
  }
  return problems;
}

/// Compiles jobs until there are none left, or one failed.
class Workers {
 public:
  Workers(const std::vector<Job>& jobs, KernelCache& cache,
          const std::function<void(const ShippingProgress&)>& progress)
      : jobs_(jobs), cache_(cache), progress_(progress) {}

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
        KernelImage image = image_of(job);
        if (!image.target.ends_with(" cubin")) {
          throw Error(
              ErrorCode::unavailable,
              "this NVRTC makes no machine code for a GPU of these tunings, as it is older than the GPU; "
              "name a newer one by BITUNE_NVRTC");
        }
        image.log.clear();  // for who tunes; whoever is given the kernel only runs it
        add(job.key, std::move(image));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = jobs_.size();
      }
    }
  }

  KernelImage image_of(const Job& job) {
    const std::string digest = job.compiler->digest(job.source);
    if (auto kept = cache_.find(digest)) return std::move(*kept);
    KernelImage image = job.compiler->compile(job.source);
    cache_.store(digest, image);
    return image;
  }

  void add(const std::string& key, KernelImage image) {
    const std::lock_guard lock(mutex_);
    images_.emplace(key, std::move(image));
    progress_({++done_, jobs_.size()});
  }

  const std::vector<Job>& jobs_;
  KernelCache& cache_;
  const std::function<void(const ShippingProgress&)>& progress_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards all below
  std::map<std::string, KernelImage> images_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

/// What each GPU of a database launches, each kernel once.
struct Jobs {
  Jobs(const TuningDatabase& tunings, const TrialFilter& filter,
       const std::function<std::unique_ptr<Compiler>(const DeviceInfo&)>& make_compiler) {
    std::set<std::string> keys;
    for (const DeviceRow& row : tunings.devices()) {
      if (row.info.kind != "cuda") continue;
      auto& compiler = compilers[row.info.compute_capability()];
      if (compiler == nullptr) compiler = make_compiler(row.info);
      for (KernelSource& source : kernels_to_ship(tunings, row.info, filter)) {
        std::string key = compiler->archive_key(source);
        if (key.empty() || !keys.insert(key).second) continue;
        all.push_back({compiler.get(), std::move(source), std::move(key)});
      }
    }
  }

  std::map<int, std::unique_ptr<Compiler>> compilers;  ///< by compute capability
  std::vector<Job> all;
};

}  // namespace

std::vector<KernelSource> kernels_to_ship(const TuningDatabase& tunings, const DeviceInfo& device,
                                          const TrialFilter& filter) {
  const auto read = [&tunings](const Problem& problem, std::string*) {
    return CandidateSet{.user = {}, .shipped = tunings.candidates(problem)};
  };
  Selector selector(device, read, variants());
  std::set<KernelSource> kernels;
  for (const Problem& problem : problems_to_ship(tunings, device, filter)) {
    const Plan plan = selector.plan(problem, selector.select(problem).configuration);
    kernels.insert(plan.kernels.begin(), plan.kernels.end());
  }
  return {kernels.begin(), kernels.end()};
}

std::map<std::string, KernelImage> compile_for_shipping(
    const TuningDatabase& tunings, KernelCache& cache,
    const std::function<void(const ShippingProgress&)>& progress, const TrialFilter& filter) {
  const Jobs jobs(tunings, filter, [](const DeviceInfo& gpu) {
    return cuda::make_nvrtc_compiler(gpu.compute_major, gpu.compute_minor);
  });
  return Workers(jobs.all, cache, progress).run();
}

ShippedKernels look_for_kernels(const TuningDatabase& tunings, const KernelArchive& archive,
                                const TrialFilter& filter) {
  Jobs jobs(tunings, filter, [](const DeviceInfo& gpu) {
    return cuda::make_nvrtc_compiler(
        gpu.compute_major, gpu.compute_minor, [] { return cuda::nvrtc_facts(nullptr); }, nullptr);
  });
  ShippedKernels found;
  found.needed = jobs.all.size();
  for (Job& job : jobs.all) {
    if (!archive.find(job.key)) found.missing.push_back(std::move(job.source));
  }
  return found;
}

}  // namespace bitune
