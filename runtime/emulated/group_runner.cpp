#include "runtime/emulated/group_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bitune/error.hpp"
#include "runtime/emulated/sanitizers.hpp"

namespace bitune::emulated {
namespace {

// Kernels keep their keys in local arrays; the sanitizer's frames are several times larger.
constexpr std::size_t stack_bytes = BITUNE_ADDRESS_SANITIZER ? 512 * 1024 : 128 * 1024;

std::uint64_t seed_of_group(std::uint64_t seed, std::uint32_t first_block) {
  return Random(seed ^ (static_cast<std::uint64_t>(first_block) << 32)).next();
}

}  // namespace

GroupRunner::GroupRunner() = default;

GroupRunner::~GroupRunner() {
  quitting_ = true;
  for (const auto& thread : threads_) Fibre::switch_to(host_, thread->fibre);
}

// Not inlined: a fibre may be resumed by another host thread, where the variable lies elsewhere.
[[gnu::noinline]] Thread*& GroupRunner::running() {
  static thread_local Thread* thread = nullptr;
  asm volatile("");
  return thread;
}

void GroupRunner::run(const LaunchFacts& launch, std::uint32_t first, std::uint32_t count) {
  launch_ = launch;
  failure_.clear();
  prepare(first, count);
  Thread& start = *threads_[ready_.pop()];
  running() = &start;
  Fibre::switch_to(host_, start.fibre);
  if (failure_.empty()) return;
  unwind_all();
  throw Error(ErrorCode::device, failure_);
}

void GroupRunner::prepare(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t size = launch_.block_size;
  thread_count_ = count * size;
  unfinished_ = thread_count_;
  while (threads_.size() < thread_count_) {
    const auto index = static_cast<std::uint32_t>(threads_.size());
    threads_.push_back(std::make_unique<Thread>(this, index, &GroupRunner::serve_threads, stack_bytes));
  }
  warps_.clear();
  blocks_.clear();
  if (shared_.size() < count) shared_.resize(count);
  for (std::uint32_t slot = 0; slot < count; ++slot) prepare_block(slot, first + slot);

  parts_.clear();
  clusters_.clear();
  const std::uint32_t cluster_threads = launch_.cluster_size * size;
  for (std::uint32_t begin = 0; begin < thread_count_; begin += cluster_threads) {
    clusters_.push_back({begin, begin + cluster_threads, cluster_threads, 0});
  }

  std::optional<std::uint64_t> seed;
  if (launch_.seed) seed = seed_of_group(*launch_.seed, first);
  ready_.reset(thread_count_, seed);
  for (std::uint32_t i = thread_count_; i-- > 0;) ready_.push(i);
}

void GroupRunner::prepare_block(std::uint32_t slot, std::uint32_t index) {
  const std::uint32_t size = launch_.block_size;
  const std::uint32_t begin = slot * size;
  blocks_.push_back({begin, begin + size, size, 0});
  shared_[slot].renew(launch_.shared_bytes);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (i % launch_.warp_size == 0) {
      warps_.push_back({.first = begin + i, .lanes = std::min(launch_.warp_size, size - i)});
    }
    Thread& thread = *threads_[begin + i];
    static_cast<ThreadCoordinates&>(thread) = {.thread = i,
                                               .block = index,
                                               .block_count = launch_.block_count,
                                               .block_size = size,
                                               .lane = i % launch_.warp_size,
                                               .warp = i / launch_.warp_size,
                                               .cluster_rank = index % launch_.cluster_size,
                                               .cluster_size = launch_.cluster_size,
                                               .shared_bytes = launch_.shared_bytes,
                                               .shared = shared_[slot].data()};
    thread.block_slot = slot;
    thread.warp_slot = static_cast<std::uint32_t>(warps_.size() - 1);
    thread.wait = Wait::nothing;
    thread.has_waited = false;
    thread.started = false;
    thread.finished = false;
  }
}

// The whole life of a fibre: it runs one thread of each group.
void GroupRunner::serve_threads(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  GroupRunner& runner = *thread.runner;
  while (!runner.quitting_) {
    thread.started = true;
    try {
      runner.launch_.entry(runner.launch_.slots);
    } catch (const GivenUp&) {
      // Why is in failure_; run() throws it on the host's stack.
    }
    runner.finish(thread);
  }
}

void GroupRunner::finish(Thread& thread) {
  thread.finished = true;
  --unfinished_;
  if (failure_.empty()) {
    Rendezvous& block = blocks_[thread.block_slot];
    --block.expected;
    release_if_complete(block);
    Rendezvous& cluster = clusters_[thread.block_slot / launch_.cluster_size];
    --cluster.expected;
    release_if_complete(cluster);
    Warp& warp = warps_[thread.warp_slot];
    ++warp.finished;
    if (warp.syncing != 0) release_warp_barriers(warp);
  }
  switch_from(thread);
}

// Goes on with whichever thread is next; with the host when all have returned or the launch is given up.
void GroupRunner::switch_from(Thread& thread) {
  if (failure_.empty() && unfinished_ != 0 && ready_.empty()) failure_ = deadlock_text();
  if (!failure_.empty() || unfinished_ == 0) {
    Fibre::switch_to(thread.fibre, host_);
    return;
  }
  Thread& next = *threads_[ready_.pop()];
  if (&next == &thread) return;
  running() = &next;
  Fibre::switch_to(thread.fibre, next.fibre);
}

void GroupRunner::wait_for_others(Thread& thread) {
  switch_from(thread);
  if (unwinding_) throw GivenUp{};
}

void GroupRunner::arrive(Thread& thread, Wait wait, Rendezvous& rendezvous) {
  thread.wait = wait;
  ++rendezvous.arrived;
  release_if_complete(rendezvous);
  wait_for_others(thread);
}

void GroupRunner::release_if_complete(Rendezvous& rendezvous) {
  if (rendezvous.arrived == 0 || rendezvous.arrived != rendezvous.expected) return;
  rendezvous.arrived = 0;
  for (std::uint32_t i = rendezvous.end; i-- > rendezvous.first;) {
    Thread& thread = *threads_[i];
    if (thread.finished) continue;
    thread.wait = Wait::nothing;
    ready_.push(i);
  }
}

// Each fibre that is inside a kernel leaves it by an exception, so that it can serve the next group.
void GroupRunner::unwind_all() {
  unwinding_ = true;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    Thread& thread = *threads_[i];
    if (!thread.started || thread.finished) continue;
    running() = &thread;
    Fibre::switch_to(host_, thread.fibre);
  }
  unwinding_ = false;
}

void GroupRunner::fail(const Thread& thread, std::string_view what) {
  failure_ = fmt::format("The kernel {} failed on the emulated device: thread {} of block {} {}.",
                         launch_.kernel, thread.thread, thread.block, what);
  throw GivenUp{};
}

namespace {

std::string_view text_of(Wait wait) {
  switch (wait) {
    case Wait::nothing:
      return "runs";
    case Wait::block:
      return "waits at sync_block()";
    case Wait::part:
      return "waits at sync_part()";
    case Wait::warp:
      return "waits at sync_warp()";
    case Wait::shuffle:
      return "waits in a shuffle for the other lanes of its warp";
    case Wait::cluster:
      return "waits at sync_cluster()";
    case Wait::bytes:
      return "waits for bytes that nobody sends";
  }
  return "";
}

}  // namespace

// Names the first thread of each kind of wait, and how many others of the group wait likewise.
std::string GroupRunner::deadlock_text() const {
  std::string text = fmt::format("The kernel {} deadlocks on the emulated device: ", launch_.kernel);
  for (const Wait wait : {Wait::block, Wait::part, Wait::warp, Wait::shuffle, Wait::cluster, Wait::bytes}) {
    const auto begin = threads_.begin();
    const auto end = begin + thread_count_;
    const auto waits = [wait](const auto& thread) { return !thread->finished && thread->wait == wait; };
    const auto found = std::find_if(begin, end, waits);
    if (found == end) continue;
    text += fmt::format("thread {} of block {} {}", (*found)->thread, (*found)->block, text_of(wait));
    const auto others = std::count_if(found + 1, end, waits);
    if (others != 0) text += fmt::format(" (and {} more)", others);
    text += ", ";
  }
  return text + fmt::format("{} of {} threads have returned.", thread_count_ - unfinished_, thread_count_);
}

}  // namespace bitune::emulated
