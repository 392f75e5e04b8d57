#pragma once

/// \file
/// A digest of many items whatever their order: it tells whether one list is a permutation of another.

#include <cstdint>

namespace bitune {

/// The value that travels with a key, as words. Of narrow values the rest is zero.
struct ValueWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const ValueWords&) const = default;
};

/// Sums of mixed items. Items are added for the input and subtracted for the result: if one is a permutation
/// of the other, both sums are zero.
///
/// How often a wrong result looks right: each of the two sums adds 64-bit words as whole numbers, without a
/// remainder. Fix the mixed words of all items but one that is wrong. Then at most one of the 2^64 words that
/// this item may be mixed to makes a sum zero. The two sums mix differently, so the chance is 2^-128 if
/// mixing is as good as drawing at random. Nobody picks keys against this digest: what is checked are
/// kernels, which know neither it nor the seed. It would not do to check a result that an enemy made.
class ItemDigest {
 public:
  explicit ItemDigest(std::uint64_t seed) noexcept : seed_(seed) {}

  void add(std::uint64_t key) noexcept {
    first_ += static_cast<Sum>(mix(key + seed_));
    second_ += static_cast<Sum>(mix_other(key ^ seed_));
  }
  void subtract(std::uint64_t key) noexcept {
    first_ -= static_cast<Sum>(mix(key + seed_));
    second_ -= static_cast<Sum>(mix_other(key ^ seed_));
  }
  void add(std::uint64_t key, const ValueWords& value) noexcept {
    first_ += static_cast<Sum>(mix(key, value));
    second_ += static_cast<Sum>(mix_other(key, value));
  }
  void subtract(std::uint64_t key, const ValueWords& value) noexcept {
    first_ -= static_cast<Sum>(mix(key, value));
    second_ -= static_cast<Sum>(mix_other(key, value));
  }

  /// Adds what another part of the same lists came to.
  ItemDigest& operator+=(const ItemDigest& other) noexcept {
    first_ += other.first_;
    second_ += other.second_;
    return *this;
  }

  [[nodiscard]] bool is_zero() const noexcept { return first_ == 0 && second_ == 0; }

 private:
  __extension__ using Sum = __int128;  // has room for 2^63 words

  /// SplitMix64's output function (Steele, Lea, Flood, 2014).
  static constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// The last steps of MurmurHash3 (Appleby).
  static constexpr std::uint64_t mix_other(std::uint64_t z) noexcept {
    z = (z ^ (z >> 33)) * 0xFF51AFD7ED558CCDull;
    z = (z ^ (z >> 33)) * 0xC4CEB9FE1A85EC53ull;
    return z ^ (z >> 33);
  }
  [[nodiscard]] std::uint64_t mix(std::uint64_t key, const ValueWords& value) const noexcept {
    return mix(mix(mix(key + seed_) + value.low) + value.high);
  }
  [[nodiscard]] std::uint64_t mix_other(std::uint64_t key, const ValueWords& value) const noexcept {
    return mix_other(mix_other(mix_other(key ^ seed_) + value.low) + value.high);
  }

  std::uint64_t seed_;
  Sum first_ = 0;
  Sum second_ = 0;
};

}  // namespace bitune
