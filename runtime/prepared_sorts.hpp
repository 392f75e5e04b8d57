#pragma once

/// \file
/// Problems that are ready to run on one device: selected, compiled, loaded.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cache/kernel_cache.hpp"
#include "model/problem_class.hpp"
#include "runtime/background_work.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/problem_cache.hpp"
#include "runtime/selector.hpp"

namespace bitune {

struct PreparedSort;

/// What became of a configuration that was compiled in the background.
struct LaterSort {
  std::shared_ptr<const PreparedSort> made;  ///< null if it failed
  std::string failure;
};

/// A problem that is ready to run.
struct PreparedSort {
  Selection selection;
  ExecutablePlan executable;
  KernelCounts kernels;
  /// What a workspace must have: where the plan takes more, the call allocates its own. What callers were
  /// told first holds, whichever configuration sorts in the end.
  std::uint64_t least_workspace_bytes = 0;

  /// Of a stand-in: the configuration that is compiled in the background, and what becomes of it.
  std::string awaited;
  std::shared_future<LaterSort> better;
  /// What a person should know of how it was prepared; may be empty.
  std::string note;

  [[nodiscard]] bool is_stand_in() const noexcept { return better.valid(); }
};

/// Waits for it. Never throws: what was dropped, as the process ends, has failed.
[[nodiscard]] LaterSort result_of(const std::shared_future<LaterSort>& later);

/// How problems are prepared.
struct Preparation {
  static constexpr std::size_t default_capacity = 4096;
  std::size_t capacity = default_capacity;  ///< problems that stay prepared; their kernels stay loaded longer
  std::shared_ptr<const KernelArchive> shipped_kernels;
  /// How long a sort waits for the compiler before it takes what is ready or soon compiled; nothing: as long
  /// as it takes.
  std::optional<std::chrono::milliseconds> patience;
};

/// The prepared problems of one device. Segments of one class are one problem here.
///
/// Thread-safe. A problem is selected, compiled and loaded once, by one thread; what was prepared is found
/// again by a hash lookup under a shared lock, and no lock is held through launches or compiles.
///
/// With patience, a problem whose best configuration must be compiled gets that in the background. Until it
/// is there the problem has a stand-in: the next configuration on the ladder whose kernels are ready, else
/// one that compiles fast. Where there is no compiler, what is ready remains.
class PreparedSorts {
 public:
  using Pointer = std::shared_ptr<const PreparedSort>;

  PreparedSorts(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache, CandidateReader reader,
                std::span<const Variant* const> variants, Preparation how);

  /// Null if the problem is not prepared. Allocates nothing.
  [[nodiscard]] Pointer find(const Problem& problem) const { return prepared_.find(prepared_as(problem)); }

  /// What can sort soon. \throws Error (usage, compile, device, unavailable)
  [[nodiscard]] Pointer soon(const Problem& problem);

  /// The best, now. \throws as `soon`
  [[nodiscard]] Pointer best(const Problem& problem);

  /// Bytes that a workspace for this problem has at the least. \throws as `soon`
  [[nodiscard]] std::uint64_t workspace_size(const Problem& problem);

  /// What a problem that is not prepared would be sorted with. \throws Error (usage, unavailable)
  [[nodiscard]] Selection select(const Problem& problem) { return selector_.select(prepared_as(problem)); }
  [[nodiscard]] Plan plan(const Problem& problem, const Configuration& configuration) const {
    return selector_.plan(prepared_as(problem), configuration);
  }

 private:
  [[nodiscard]] PreparedSort make(const Problem& problem, Stream stream);
  [[nodiscard]] Selection select_but(const Problem& problem, std::span<const TooLarge> too_large);
  [[nodiscard]] Pointer make_soon(const Problem& problem);
  /// What is on the ladder behind the first configuration and takes no compiler; null if there is nothing.
  [[nodiscard]] std::shared_ptr<PreparedSort> ready_behind(const Problem& problem,
                                                           const Configuration& first);
  [[nodiscard]] std::shared_ptr<PreparedSort> soon_compiled(const Problem& problem,
                                                            const Configuration& first);
  /// Makes the best in the background, to be what the problem is sorted with. `at_once`: whether it begins
  /// now.
  [[nodiscard]] std::shared_future<LaterSort> make_later(const Problem& problem, bool* at_once);
  void warm_up(std::uint64_t workspace_bytes, Stream stream) const;

  const std::shared_ptr<Device> device_;
  const std::optional<std::chrono::milliseconds> patience_;
  Selector selector_;
  KernelStore kernels_;
  ProblemCache<PreparedSort> prepared_;
  BackgroundWork later_;  ///< the last member: its threads use the others
};

}  // namespace bitune
