#pragma once

/// \file
/// Random numbers that are the same on every platform: the distributions of the standard library are not.

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace bitune {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  /// From 0 to `count` - 1. Precondition: count > 0.
  std::size_t below(std::size_t count) { return engine_() % count; }

  /// In [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bitune
