#pragma once

/// \file
/// The emulated threads that could run now, and which of them does next.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bitune::emulated {

/// A small random generator (SplitMix64): reproducible everywhere, and cheap enough for each switch.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound); bound < 2^32.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((next() >> 32) * bound >> 32); }

 private:
  std::uint64_t state_;
};

/// Threads ready to run, by index. Without a seed they come out last group first, and within a group lowest
/// index first: one warp runs on until it must wait for others, which keeps its stacks in the cache. With a
/// seed any of them is next.
class ReadyThreads {
 public:
  void reset(std::size_t capacity, std::optional<std::uint64_t> seed) {
    indices_.clear();
    indices_.reserve(capacity);
    shuffled_ = seed.has_value();
    random_ = Random(seed.value_or(0));
  }

  /// To be called for the members of a group from the highest index down.
  void push(std::uint32_t index) { indices_.push_back(index); }

  [[nodiscard]] bool empty() const { return indices_.empty(); }

  /// Precondition: not empty.
  std::uint32_t pop() {
    if (shuffled_) std::swap(indices_[random_.below(indices_.size())], indices_.back());
    const std::uint32_t index = indices_.back();
    indices_.pop_back();
    return index;
  }

 private:
  std::vector<std::uint32_t> indices_;
  bool shuffled_ = false;
  Random random_{0};
};

}  // namespace bitune::emulated
