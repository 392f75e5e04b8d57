#pragma once

/// \file
/// Generated keys, and where a key belongs among all keys of its type. Plain constexpr C++: the host compiles it, and so do the kernels
/// that make inputs and show an order right. Any key is made on its own, from its index. Places are written by cases, where the codecs
/// of the sorting kernels use arithmetic, so that one checks the other.

namespace bitune {

/// How generated keys are distributed and arranged.
enum class Distribution : unsigned char {
  random,        ///< uniform over all values of the type; floats: over all finite bit patterns, so mostly far from 1
  sorted,        ///< ascending; equal neighbours where n exceeds the number of values
  reversed,      ///< `sorted` backwards
  all_equal,     ///< one random value
  few_distinct,  ///< 16 random values
  sawtooth,      ///< ascending ramps of 1021 keys (a prime, so that no tile begins as another does)
  special,       ///< the type's edges in random order, and one key in four random of all bit patterns
  some_nan,      ///< random, but one key in ten is NaN (positive, as computations give it); of integers the greatest key
  near_one,      ///< equal in the upper half of their bits, which is that of 1.0, or of an integer the number 1; random in the lower
  zipf,          ///< few values have most of the keys: as many keys are of rank 1 as of 2 and 3, of 4 to 7, and so on; in random order
  normal,        ///< floats: the standard normal distribution, as measured numbers are; integers: around the middle of all values
};

namespace made {

using Bits = unsigned long long;

constexpr Bits sawtooth_period() { return 1021; }
constexpr Bits distinct_keys() { return 16; }

/// The output function of SplitMix64 (Steele, Lea, Flood, 2014) over a counter.
constexpr Bits random_bits(Bits seed, Bits index) {
  Bits z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// High half of the product: maps 64 random bits to [0, bound).
constexpr Bits scale(Bits bits, Bits bound) {
  constexpr Bits low_half = 0xFFFFFFFFull;
  const Bits low = (bits & low_half) * (bound & low_half);
  const Bits cross = (bits >> 32) * (bound & low_half) + (low >> 32);
  const Bits other = (bits & low_half) * (bound >> 32) + (cross & low_half);
  return (bits >> 32) * (bound >> 32) + (cross >> 32) + (other >> 32);
}

constexpr int normal_unit_bits() { return 58; }

/// 6 more than a number of the standard normal distribution, in units of 2^-58, in [0, 12): a sum of twelve uniform numbers has a variance
/// of 1, and is exact on host and device.
constexpr Bits normal_sum(Bits seed, Bits index) {
  Bits sum = 0;
  for (Bits i = 0; i < 12; ++i) sum += random_bits(seed + i, index) >> (64 - normal_unit_bits());
  return sum;
}

constexpr Bits shifted(Bits value, int left) { return left >= 0 ? value << left : value >> -left; }

/// The place of the highest bit that is set; of 0 as of 1.
constexpr int highest_bit(Bits value) {
  int place = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (value >> (place + step) != 0) place += step;
  }
  return place;
}

/// A key type's bits. Of an integer `infinity` is 0, of a floating-point type it is the bits of +infinity.
class KeyRanks {
 public:
  constexpr KeyRanks(int bytes, bool is_signed, Bits infinity)
      : all_bits_(~0ull >> (64 - 8 * bytes)),
        lower_half_(~0ull >> (64 - 4 * bytes)),
        sign_(1ull << (8 * bytes - 1)),
        infinity_(infinity),
        is_signed_(is_signed) {}

  [[nodiscard]] constexpr bool is_float() const { return infinity_ != 0; }
  [[nodiscard]] constexpr Bits all_bits() const { return all_bits_; }

  /// Ranks of finite values: `key(0)` is the least, `key(last_rank())` the greatest.
  [[nodiscard]] constexpr Bits last_rank() const { return is_float() ? 2 * (infinity_ - 1) + 1 : all_bits_; }
  [[nodiscard]] constexpr Bits key(Bits rank) const {
    if (!is_float()) return is_signed_ ? rank ^ sign_ : rank;
    return rank < infinity_ ? sign_ | (infinity_ - 1 - rank) : rank - infinity_;
  }
  [[nodiscard]] constexpr Bits random_key(Bits bits) const {
    // All bits of an integer are finite values; the number of a float's fits in 64 bits.
    return is_float() ? key(scale(bits, last_rank() + 1)) : bits & all_bits_;
  }

  /// NaN with a positive sign, or the greatest integer.
  [[nodiscard]] constexpr Bits last_key() const { return is_float() ? infinity_ | quiet() : key(last_rank()); }

  /// 1.0, of which all bits of the exponent but the highest are set; or an integer with a 1 in the upper half of its bits.
  [[nodiscard]] constexpr Bits one() const { return is_float() ? infinity_ >> 1 & infinity_ : lower_half() + 1; }

  /// Powers of two that are ranks of finite values, with all ranks up to the next power.
  [[nodiscard]] constexpr Bits powers() const {
    Bits count = is_float() ? 0 : 1;
    for (Bits power = sign_; power > 1; power >>= 1) ++count;
    return count;
  }

  /// The key of a normal_sum: of floats the nearest number towards 0; of integers 16 standard deviations are as wide as the type.
  [[nodiscard]] constexpr Bits normal_key(Bits sum) const {
    const Bits middle = Bits{6} << normal_unit_bits();
    if (is_float()) return sum < middle ? sign_ | magnitude_of(middle - sum) : magnitude_of(sum - middle);
    const int left = highest_bit(sign_) - 3 - normal_unit_bits();
    return key((shifted(sum, left) + sign_ - shifted(middle, left)) & all_bits_);
  }

  /// The bits of the lower half of a key.
  [[nodiscard]] constexpr Bits lower_half() const { return lower_half_; }

  /// Values at the type's edges: extremes, zeros, infinities, denormals, NaNs of both signs.
  [[nodiscard]] constexpr Bits edge_count() const { return is_float() ? 20 : 8; }
  [[nodiscard]] constexpr Bits edge(Bits index) const {
    if (is_float()) return (index % 2 == 0 ? 0 : sign_) | edge_magnitude(index / 2);
    switch (index) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return all_bits_;
      case 3:
        return all_bits_ - 1;
      case 4:
        return sign_;
      case 5:
        return sign_ - 1;
      case 6:
        return sign_ + 1;
      default:
        return sign_ >> 1;
    }
  }

  /// The place of a key among all bit patterns of its type: -inf .. -0, +0 .. +inf, positive NaN by payload, negative NaN by falling
  /// payload. equal_nans: all NaNs have one place, as where something travels with the keys.
  [[nodiscard]] constexpr Bits place(Bits bits, bool equal_nans) const {
    if (!is_float()) {
      if (!is_signed_) return bits;
      return bits < sign_ ? bits + sign_ : bits - sign_;
    }
    const Bits numbers = infinity_ + 1;  // of one sign
    const bool is_negative = bits >= sign_;
    const Bits magnitude = is_negative ? bits - sign_ : bits;
    if (magnitude <= infinity_) return is_negative ? infinity_ - magnitude : numbers + magnitude;
    if (equal_nans) return 2 * numbers;
    return is_negative ? all_bits_ - (magnitude - numbers) : 2 * numbers + (magnitude - numbers);
  }

 private:
  /// The lowest bit of the exponent; of a float's bits, those of the least normal number.
  [[nodiscard]] constexpr Bits least_normal() const { return infinity_ & (~infinity_ + 1); }

  /// The highest bit of the fraction, which tells a quiet NaN.
  [[nodiscard]] constexpr Bits quiet() const { return least_normal() >> 1; }

  /// The bits of a positive float, of units of 2^-58, cut off. Numbers that are too small for an exponent have a fraction alone.
  [[nodiscard]] constexpr Bits magnitude_of(Bits units) const {
    const int fraction_bits = highest_bit(least_normal());
    const int bias = static_cast<int>(infinity_ >> (fraction_bits + 1));
    const int highest = highest_bit(units);
    const int exponent = bias + highest - normal_unit_bits();
    if (exponent <= 0) return shifted(units, bias - 1 + fraction_bits - normal_unit_bits());
    // The bit before the fraction counts up the exponent.
    return (static_cast<Bits>(exponent - 1) << fraction_bits) + shifted(units, fraction_bits - highest);
  }

  [[nodiscard]] constexpr Bits edge_magnitude(Bits index) const {
    switch (index) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return least_normal() - 1;
      case 3:
        return least_normal();
      case 4:
        return infinity_ - 1;
      case 5:
        return infinity_;
      case 6:
        return infinity_ + 1;
      case 7:
        return infinity_ | quiet();
      case 8:
        return infinity_ | quiet() | 1;
      default:
        return sign_ - 1;
    }
  }

  Bits all_bits_;
  Bits lower_half_;
  Bits sign_;
  Bits infinity_;
  bool is_signed_;
};

/// Ranks spread evenly over an ascending sequence, without a division a key.
struct Ramp {
  Bits step = 0;
  bool is_fraction = false;  ///< step counts units of 2^-64

  [[nodiscard]] constexpr Bits rank(Bits i) const { return is_fraction ? scale(step, i) : i * step; }
};

/// The key with index i of n, as its bits.
template <Distribution distribution>
constexpr Bits key_at(const KeyRanks& ranks, const Ramp& ramp, Bits seed, Bits n, Bits i) {
  if constexpr (distribution == Distribution::random) {
    return ranks.random_key(random_bits(seed, i));
  } else if constexpr (distribution == Distribution::sorted) {
    return ranks.key(ramp.rank(i));
  } else if constexpr (distribution == Distribution::reversed) {
    return ranks.key(ramp.rank(n - 1 - i));
  } else if constexpr (distribution == Distribution::all_equal) {
    return ranks.random_key(random_bits(seed, 0));
  } else if constexpr (distribution == Distribution::few_distinct) {
    return ranks.random_key(random_bits(~seed, scale(random_bits(seed, i), distinct_keys())));
  } else if constexpr (distribution == Distribution::sawtooth) {
    return ranks.key(ramp.rank(i % sawtooth_period()));
  } else if constexpr (distribution == Distribution::some_nan) {
    const Bits bits = random_bits(seed, i);
    return scale(random_bits(~seed, i), 10) == 0 ? ranks.last_key() : ranks.random_key(bits);
  } else if constexpr (distribution == Distribution::near_one) {
    return (ranks.one() & ~ranks.lower_half()) | (random_bits(seed, i) & ranks.lower_half());
  } else if constexpr (distribution == Distribution::zipf) {
    const Bits power = Bits{1} << scale(random_bits(~seed, i), ranks.powers());
    return ranks.key(power | (random_bits(seed, i) & (power - 1)));
  } else if constexpr (distribution == Distribution::normal) {
    return ranks.normal_key(normal_sum(seed, i));
  } else {
    static_assert(distribution == Distribution::special, "a distribution that nothing makes");
    const Bits bits = random_bits(seed, i);
    return bits % 4 == 0 ? bits >> 2 : ranks.edge(scale(bits, ranks.edge_count()));
  }
}

/// Calls work.template run<distribution>() with the distribution as a constant, so that a loop over keys does not ask for it.
template <class Work>
constexpr void with_distribution(Distribution distribution, const Work& work) {
  switch (distribution) {
    case Distribution::random:
      return work.template run<Distribution::random>();
    case Distribution::sorted:
      return work.template run<Distribution::sorted>();
    case Distribution::reversed:
      return work.template run<Distribution::reversed>();
    case Distribution::all_equal:
      return work.template run<Distribution::all_equal>();
    case Distribution::few_distinct:
      return work.template run<Distribution::few_distinct>();
    case Distribution::sawtooth:
      return work.template run<Distribution::sawtooth>();
    case Distribution::special:
      return work.template run<Distribution::special>();
    case Distribution::some_nan:
      return work.template run<Distribution::some_nan>();
    case Distribution::near_one:
      return work.template run<Distribution::near_one>();
    case Distribution::zipf:
      return work.template run<Distribution::zipf>();
    case Distribution::normal:
      return work.template run<Distribution::normal>();
  }
}

}  // namespace made
}  // namespace bitune
