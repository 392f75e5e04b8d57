#pragma once

/// \file
/// Runs blocks of an emulated launch: each of their threads on a fibre, all on the calling host thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/platform/emulated/services.hpp"
#include "runtime/emulated/fibre.hpp"
#include "runtime/emulated/group_state.hpp"
#include "runtime/emulated/ready_threads.hpp"

namespace bitune::emulated {

/// Whether any thread of a launch has waited for the launch before it. Thread-safe.
class DependentWait {
 public:
  /// `at_first` is called once, by the first thread that waits; it may be empty.
  explicit DependentWait(const std::function<void()>& at_first) : at_first_(at_first) {}

  void pass() {
    std::call_once(once_, [this] {
      if (at_first_) at_first_();
      passed_ = true;
    });
  }
  /// When the launch has ended.
  [[nodiscard]] bool passed() const { return passed_; }

 private:
  const std::function<void()>& at_first_;
  std::once_flag once_;
  bool passed_ = false;
};

/// One launch, as all its blocks see it.
struct LaunchFacts {
  std::string_view kernel;  ///< for messages
  EntryFunction* entry = nullptr;
  const std::uint64_t* slots = nullptr;
  std::uint32_t block_count = 1;
  std::uint32_t block_size = 1;
  std::uint32_t warp_size = 32;
  std::uint32_t shared_bytes = 0;
  std::uint32_t cluster_size = 1;
  DependentWait* dependent_wait = nullptr;  ///< of a dependent launch
  bool allows_next_early = false;
  std::optional<std::uint64_t> seed;
};

/// Runs groups of co-resident blocks: a single block, or a cluster. Fibres, their
/// stacks and shared memory are kept for the next group.
///
/// Invariants: each unfinished thread either runs (one), is in `ready_`, or has `wait != nothing`. A
/// rendezvous is complete when its last thread arrives; that one makes all of them ready and takes its turn
/// like the others.
///
/// Thread safety: none; each host thread has its own. One may be used by different host threads one after
/// another.
class GroupRunner {
 public:
  GroupRunner();
  ~GroupRunner();
  GroupRunner(const GroupRunner&) = delete;
  GroupRunner& operator=(const GroupRunner&) = delete;

  /// Runs blocks [first, first + count) until all of their threads have returned.
  /// \throws Error (device) naming kernel, block, thread and what it waits for if they deadlock or break a
  /// rule.
  void run(const LaunchFacts& launch, std::uint32_t first, std::uint32_t count);

  /// What kernels call.
  [[nodiscard]] static const Services& services();

 private:
  struct GivenUp {};  // thrown through the kernel to unwind a fibre

  static Thread*& running();
  static void serve_threads(void* thread);

  void prepare(std::uint32_t first, std::uint32_t count);
  void prepare_block(std::uint32_t slot, std::uint32_t index);
  void finish(Thread& thread);
  void wait_for_others(Thread& thread);
  void switch_from(Thread& thread);
  void arrive(Thread& thread, Wait wait, Rendezvous& rendezvous);
  void release_if_complete(Rendezvous& rendezvous);
  void release_warp_barriers(Warp& warp);
  void release_exchange(Warp& warp);
  template <class Bytes>
  void pass_values(const Warp& warp, Bytes bytes);
  void add_values(const Warp& warp);
  void compare_values(const Warp& warp);
  [[nodiscard]] std::string deadlock_text() const;
  [[noreturn]] void fail(const Thread& thread, std::string_view what);
  void unwind_all();

  static void sync_block();
  static void sync_part(unsigned int part, unsigned int threads);
  static void sync_warp(unsigned int mask);
  static void exchange(Exchange kind, const void* passed, void* received, unsigned int bytes,
                       unsigned int source_lane);
  static void shuffle(const void* passed, void* received, unsigned int bytes, unsigned int source_lane);
  static void add_up(unsigned int* words, unsigned int count);
  static unsigned int lanes_alike(unsigned int word);
  static void sync_cluster();
  static unsigned char* shared_of_rank(unsigned int rank);
  static void wait_for_previous_launch();
  static void allow_next_launch();
  static void bytes_arrive(unsigned long long* expected, unsigned int bytes);
  static void wait_for_bytes(unsigned long long* expected);
  static void fail_running(const char* what);

  LaunchFacts launch_;
  Fibre host_;
  std::vector<std::unique_ptr<Thread>>
      threads_;  // of the largest group so far; the first `thread_count_` are in use
  std::vector<Warp> warps_;
  std::vector<Rendezvous> blocks_;
  std::vector<Rendezvous> clusters_;
  std::map<std::uint32_t, Rendezvous> parts_;  // of blocks, by their first thread in the group
  std::vector<SharedMemory> shared_;           // by block of the group
  std::vector<std::byte> exchanged_;           // what the lanes of a shuffle pass
  std::vector<std::uint32_t> sums_;            // of what the lanes of a warp pass
  ReadyThreads ready_;
  std::uint32_t thread_count_ = 0;
  std::uint32_t unfinished_ = 0;
  bool unwinding_ = false;
  bool quitting_ = false;
  std::string failure_;
};

}  // namespace bitune::emulated
