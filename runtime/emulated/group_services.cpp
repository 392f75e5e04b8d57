/// \file
/// The rendezvous that kernels call: barriers, shuffles and votes of the thread that is running.

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "runtime/emulated/group_runner.hpp"

namespace bitune::emulated {

const Services& GroupRunner::services() {
  static const Services table = {
      .current = []() -> ThreadCoordinates* { return running(); },
      .sync_block = &GroupRunner::sync_block,
      .sync_part = &GroupRunner::sync_part,
      .sync_warp = &GroupRunner::sync_warp,
      .shuffle = &GroupRunner::shuffle,
      .add_up = &GroupRunner::add_up,
      .lanes_alike = &GroupRunner::lanes_alike,
      .sync_cluster = &GroupRunner::sync_cluster,
      .shared_of_rank = &GroupRunner::shared_of_rank,
      .wait_for_previous_launch = &GroupRunner::wait_for_previous_launch,
      .allow_next_launch = &GroupRunner::allow_next_launch,
      .bytes_arrive = &GroupRunner::bytes_arrive,
      .wait_for_bytes = &GroupRunner::wait_for_bytes,
      .fail = &GroupRunner::fail_running,
  };
  return table;
}

void GroupRunner::sync_block() {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  runner.arrive(thread, Wait::block, runner.blocks_[thread.block_slot]);
}

// A thread that has returned is still expected, as it is on a GPU.
void GroupRunner::sync_part(unsigned int part, unsigned int threads) {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  const std::uint32_t begin = part * threads;
  if (threads % runner.launch_.warp_size != 0 || thread.thread < begin || thread.thread >= begin + threads ||
      begin + threads > thread.block_size) {
    runner.fail(thread, "calls sync_part() for threads that are not whole warps of its block and its own");
  }
  const std::uint32_t first = thread.index - thread.thread + begin;
  Rendezvous& rendezvous = runner.parts_[first];
  if (rendezvous.arrived != 0 && rendezvous.expected != threads) {
    runner.fail(thread, "calls sync_part() with another number of threads than those that wait there");
  }
  rendezvous = {first, first + threads, threads, rendezvous.arrived};
  runner.arrive(thread, Wait::part, rendezvous);
}

void GroupRunner::sync_cluster() {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  runner.arrive(thread, Wait::cluster, runner.clusters_[thread.block_slot / runner.launch_.cluster_size]);
}

// On a GPU the launch before may still run until then, and what came before that is done.
void GroupRunner::wait_for_previous_launch() {
  Thread& thread = *running();
  thread.has_waited = true;
  const LaunchFacts& launch = thread.runner->launch_;
  if (launch.dependent_wait != nullptr) launch.dependent_wait->pass();
}

// Who lets the next launch begin before it has waited lets it begin while what came before still runs.
void GroupRunner::allow_next_launch() {
  Thread& thread = *running();
  if (!thread.has_waited && !thread.runner->launch_.allows_next_early) {
    thread.runner->fail(thread, "lets the next launch begin before it has waited for the launch before");
  }
}

void GroupRunner::sync_warp(unsigned int mask) {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  if ((mask >> thread.lane & 1) == 0)
    runner.fail(thread, "calls sync_warp() with a mask that does not name its lane");
  Warp& warp = runner.warps_[thread.warp_slot];
  thread.wait = Wait::warp;
  thread.mask = mask;
  ++warp.syncing;
  // Most barriers name all lanes: then the lanes need looking at only when the last one arrives.
  const bool all_lanes = std::popcount(mask) >= static_cast<int>(warp.lanes);
  if (!all_lanes || warp.syncing + warp.finished == warp.lanes) runner.release_warp_barriers(warp);
  runner.wait_for_others(thread);
}

// Releases every set of lanes that wait with one mask and are all there; lanes that have returned are not
// waited for.
void GroupRunner::release_warp_barriers(Warp& warp) {
  for (std::uint32_t lane = warp.lanes; lane-- > 0;) {
    const Thread& first = *threads_[warp.first + lane];
    if (first.finished || first.wait != Wait::warp) continue;
    const std::uint32_t mask = first.mask;
    bool complete = true;
    for (std::uint32_t i = 0; i < warp.lanes; ++i) {
      const Thread& other = *threads_[warp.first + i];
      const bool there = other.wait == Wait::warp && other.mask == mask;
      if ((mask >> i & 1) != 0 && !other.finished && !there) complete = false;
    }
    if (!complete) continue;
    for (std::uint32_t i = warp.lanes; i-- > 0;) {
      Thread& other = *threads_[warp.first + i];
      if ((mask >> i & 1) == 0 || other.finished) continue;
      other.wait = Wait::nothing;
      --warp.syncing;
      ready_.push(other.index);
    }
  }
}

// Strict where a GPU is lenient: a lane that has returned makes the others wait for ever, which is reported.
void GroupRunner::exchange(Exchange kind, const void* passed, void* received, unsigned int bytes,
                           unsigned int source_lane) {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  Warp& warp = runner.warps_[thread.warp_slot];
  if (warp.exchanging != 0 && kind != warp.exchange) {
    runner.fail(thread, "shuffles or votes where the other lanes of its warp do something else");
  }
  if (warp.exchanging != 0 && bytes != warp.passed_bytes) {
    runner.fail(thread, "shuffles another number of bytes than the other lanes of its warp");
  }
  warp.exchange = kind;
  warp.passed_bytes = bytes;
  thread.wait = Wait::shuffle;
  thread.passed = passed;
  thread.received = received;
  thread.source_lane = source_lane % runner.launch_.warp_size;
  if (++warp.exchanging == warp.lanes) runner.release_exchange(warp);
  runner.wait_for_others(thread);
}

void GroupRunner::shuffle(const void* passed, void* received, unsigned int bytes, unsigned int source_lane) {
  exchange(Exchange::shuffle, passed, received, bytes, source_lane);
}

void GroupRunner::add_up(unsigned int* words, unsigned int count) {
  exchange(Exchange::sum, words, words, count * sizeof(*words), 0);
}

unsigned int GroupRunner::lanes_alike(unsigned int word) {
  unsigned int alike = 0;
  exchange(Exchange::alike, &word, &alike, sizeof(word), 0);
  return alike;
}

// The last lane to arrive moves the values of all, while the others' stacks stand still.
void GroupRunner::release_exchange(Warp& warp) {
  switch (warp.exchange) {
    case Exchange::shuffle:
      // Most are single words: with their size known, none is a call of the sanitizer's memcpy().
      if (warp.passed_bytes == 4) pass_values(warp, std::integral_constant<std::size_t, 4>());
      if (warp.passed_bytes == 8) pass_values(warp, std::integral_constant<std::size_t, 8>());
      if (warp.passed_bytes != 4 && warp.passed_bytes != 8) pass_values(warp, warp.passed_bytes);
      break;
    case Exchange::sum:
      add_values(warp);
      break;
    case Exchange::alike:
      compare_values(warp);
      break;
  }
  for (std::uint32_t lane = warp.lanes; lane-- > 0;) {
    Thread& thread = *threads_[warp.first + lane];
    thread.wait = Wait::nothing;
    ready_.push(thread.index);
  }
  warp.exchanging = 0;
}

template <class Bytes>
void GroupRunner::pass_values(const Warp& warp, Bytes bytes) {
  exchanged_.resize(bytes * warp.lanes);
  for (std::uint32_t lane = 0; lane < warp.lanes; ++lane) {
    std::memcpy(exchanged_.data() + lane * bytes, threads_[warp.first + lane]->passed, bytes);
  }
  for (std::uint32_t lane = 0; lane < warp.lanes; ++lane) {
    Thread& thread = *threads_[warp.first + lane];
    if (thread.source_lane < warp.lanes) {
      std::memcpy(thread.received, exchanged_.data() + thread.source_lane * bytes, bytes);
    } else {
      std::memset(thread.received, junk_byte, bytes);  // a lane that a partial warp does not have
    }
  }
}

// Lanes that a partial warp does not have pass junk.
void GroupRunner::add_values(const Warp& warp) {
  std::uint32_t junk = 0;
  std::memset(&junk, junk_byte, sizeof(junk));
  sums_.assign(warp.passed_bytes / sizeof(junk), junk * (launch_.warp_size - warp.lanes));
  for (std::uint32_t lane = 0; lane < warp.lanes; ++lane) {
    const auto* words = static_cast<const std::uint32_t*>(threads_[warp.first + lane]->passed);
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += words[i];
  }
  for (std::uint32_t lane = 0; lane < warp.lanes; ++lane) {
    std::memcpy(threads_[warp.first + lane]->received, sums_.data(), warp.passed_bytes);
  }
}

void GroupRunner::compare_values(const Warp& warp) {
  const auto word_of = [&](std::uint32_t lane) {
    return *static_cast<const std::uint32_t*>(threads_[warp.first + lane]->passed);
  };
  for (std::uint32_t lane = 0; lane < warp.lanes; ++lane) {
    std::uint32_t alike = 0;
    for (std::uint32_t other = 0; other < warp.lanes; ++other) {
      if (word_of(other) == word_of(lane)) alike |= std::uint32_t{1} << other;
    }
    *static_cast<std::uint32_t*>(threads_[warp.first + lane]->received) = alike;
  }
}

unsigned char* GroupRunner::shared_of_rank(unsigned int rank) {
  Thread& thread = *running();
  GroupRunner& runner = *thread.runner;
  if (rank >= runner.launch_.cluster_size)
    runner.fail(thread, "asks for the shared memory of a block outside its cluster");
  return runner.shared_[thread.block_slot - thread.cluster_rank + rank].data();
}

void GroupRunner::bytes_arrive(unsigned long long* expected, unsigned int bytes) {
  Thread& sender = *running();
  GroupRunner& runner = *sender.runner;
  if (*expected < bytes) runner.fail(sender, "sends more bytes than the other block expects");
  *expected -= bytes;
  if (*expected != 0) return;
  for (std::uint32_t i = runner.thread_count_; i-- > 0;) {
    Thread& thread = *runner.threads_[i];
    if (thread.finished || thread.wait != Wait::bytes || thread.expected_bytes != expected) continue;
    thread.wait = Wait::nothing;
    runner.ready_.push(i);
  }
}

void GroupRunner::wait_for_bytes(unsigned long long* expected) {
  if (*expected == 0) return;
  Thread& thread = *running();
  thread.wait = Wait::bytes;
  thread.expected_bytes = expected;
  thread.runner->wait_for_others(thread);
}

void GroupRunner::fail_running(const char* what) {
  Thread& thread = *running();
  thread.runner->fail(thread, what);
}

}  // namespace bitune::emulated
