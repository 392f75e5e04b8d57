#include "measure/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <thread>

#include "bitune/error.hpp"
#include "measure/in_parts.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

constexpr std::array<std::string_view, all_distributions.size()> distribution_names = {
    "random", "sorted", "reversed", "all_equal", "few_distinct", "sawtooth", "special"};

constexpr std::uint64_t sawtooth_period = 1021;
constexpr std::uint64_t distinct_keys = 16;
constexpr std::uint64_t keys_to_make = std::uint64_t{1} << 20;

/// The output function of SplitMix64 (Steele, Lea, Flood, 2014) over a counter: any key can be made on its
/// own.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) noexcept {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// High half of the product: maps 64 random bits to [0, bound).
constexpr std::uint64_t scale(std::uint64_t bits, std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * bound) >> 64);
}

/// Finite values of a type, by rank: `key(0)` is the least, `key(last_rank)` the greatest.
struct Ranks {
  KeyType type;
  std::uint64_t all_bits;
  std::uint64_t sign;
  std::uint64_t greatest;  ///< bits of the greatest finite value
  std::uint64_t last_rank;

  explicit Ranks(KeyType key_type) : type(key_type) {
    const auto width = 8 * size_of(type);
    all_bits = std::numeric_limits<std::uint64_t>::max() >> (64 - width);
    sign = std::uint64_t{1} << (width - 1);
    greatest = 0;
    last_rank = all_bits;
    if (is_floating_point(type)) {
      greatest = infinity() - 1;
      last_rank = 2 * greatest + 1;
    }
  }

  [[nodiscard]] std::uint64_t infinity() const noexcept {
    switch (type) {
      case KeyType::f16:
        return 0x7C00;
      case KeyType::bf16:
        return 0x7F80;
      case KeyType::f32:
        return 0x7F800000;
      case KeyType::f64:
        return 0x7FF0000000000000;
      default:
        return 0;
    }
  }

  [[nodiscard]] std::uint64_t key(std::uint64_t rank) const noexcept {
    if (is_signed_integer(type)) return rank ^ sign;
    if (!is_floating_point(type)) return rank;
    return rank <= greatest ? sign | (greatest - rank) : rank - greatest - 1;
  }

  [[nodiscard]] std::uint64_t random_key(std::uint64_t bits) const noexcept {
    // All bits of an integer are finite values; the number of a float's fits in 64 bits.
    return is_floating_point(type) ? key(scale(bits, last_rank + 1)) : bits & all_bits;
  }
};

/// Ranks spread evenly over an ascending sequence of `count` keys, without a division a key.
class Ramp {
 public:
  Ramp(std::uint64_t count, std::uint64_t last_rank) {
    const std::uint64_t steps = std::max<std::uint64_t>(count, 2) - 1;
    if (steps <= last_rank) {
      step_ = last_rank / steps;
    } else {
      __extension__ using Wide = unsigned __int128;
      step_ = static_cast<std::uint64_t>((static_cast<Wide>(last_rank + 1) << 64) / (steps + 1));
      fraction_ = true;
    }
  }
  [[nodiscard]] std::uint64_t rank(std::uint64_t i) const noexcept {
    return fraction_ ? scale(step_, i) : i * step_;
  }

 private:
  std::uint64_t step_ = 0;
  bool fraction_ = false;  ///< step_ counts units of 2^-64
};

/// Values at the type's edges, as bits.
std::vector<std::uint64_t> edges(const Ranks& ranks) {
  const std::uint64_t sign = ranks.sign;
  if (!is_floating_point(ranks.type)) {
    return {0, 1, ranks.all_bits, ranks.all_bits - 1, sign, sign - 1, sign + 1, sign >> 1};
  }
  const std::uint64_t infinity = ranks.infinity();
  const std::uint64_t least_normal = infinity & (~infinity + 1);  // the lowest bit of the exponent
  const std::uint64_t quiet = least_normal >> 1;                  // the highest bit of the fraction
  std::vector<std::uint64_t> bits;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, least_normal - 1, least_normal, infinity - 1, infinity,
        infinity + 1, infinity | quiet, infinity | quiet | 1, sign - 1}) {
    bits.push_back(magnitude);
    bits.push_back(sign | magnitude);
  }
  return bits;
}

/// Writes key(i) for i in [0, n), in parallel where there is enough to do.
template <class Word, class KeyOf>
void write_keys(std::byte* to, std::uint64_t n, const KeyOf& key_of) {
  in_parts(n, parts_of(n, keys_to_make), [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const Word word = static_cast<Word>(key_of(i));
      std::memcpy(to + i * sizeof(Word), &word, sizeof(Word));
    }
  });
}

template <class Word>
void fill_words(std::byte* to, std::uint64_t n, const Ranks& ranks, Distribution distribution,
                std::uint64_t seed) {
  const Ramp ramp(distribution == Distribution::sawtooth ? sawtooth_period : n, ranks.last_rank);
  switch (distribution) {
    case Distribution::random:
      return write_keys<Word>(to, n, [&](std::uint64_t i) { return ranks.random_key(random_bits(seed, i)); });
    case Distribution::sorted:
      return write_keys<Word>(to, n, [&](std::uint64_t i) { return ranks.key(ramp.rank(i)); });
    case Distribution::reversed:
      return write_keys<Word>(to, n, [&](std::uint64_t i) { return ranks.key(ramp.rank(n - 1 - i)); });
    case Distribution::all_equal: {
      const std::uint64_t key = ranks.random_key(random_bits(seed, 0));
      return write_keys<Word>(to, n, [=](std::uint64_t) { return key; });
    }
    case Distribution::few_distinct:
      return write_keys<Word>(to, n, [&](std::uint64_t i) {
        return ranks.random_key(random_bits(~seed, scale(random_bits(seed, i), distinct_keys)));
      });
    case Distribution::sawtooth:
      return write_keys<Word>(to, n,
                              [&](std::uint64_t i) { return ranks.key(ramp.rank(i % sawtooth_period)); });
    case Distribution::special: {
      const std::vector<std::uint64_t> values = edges(ranks);
      return write_keys<Word>(to, n, [&](std::uint64_t i) {
        const std::uint64_t bits = random_bits(seed, i);
        return bits % 4 == 0 ? bits >> 2 : values[scale(bits, values.size())];
      });
    }
  }
}

}  // namespace

std::string_view name_of(Distribution distribution) noexcept {
  return distribution_names[static_cast<std::size_t>(distribution)];
}

Distribution parse_distribution(std::string_view text) {
  const auto found = std::find(distribution_names.begin(), distribution_names.end(), text);
  if (found == distribution_names.end()) {
    throw Error(ErrorCode::usage, fmt::format("unknown distribution '{}': choose one of {}", text,
                                              fmt::join(distribution_names, ", ")));
  }
  return static_cast<Distribution>(found - distribution_names.begin());
}

void fill_keys(std::span<std::byte> keys, KeyType type, Distribution distribution, std::uint64_t seed) {
  const Ranks ranks(type);
  const std::uint64_t n = keys.size() / size_of(type);
  switch (size_of(type)) {
    case 1:
      return fill_words<std::uint8_t>(keys.data(), n, ranks, distribution, seed);
    case 2:
      return fill_words<std::uint16_t>(keys.data(), n, ranks, distribution, seed);
    case 4:
      return fill_words<std::uint32_t>(keys.data(), n, ranks, distribution, seed);
    default:
      return fill_words<std::uint64_t>(keys.data(), n, ranks, distribution, seed);
  }
}

void fill_values(std::span<std::byte> values, std::uint64_t seed) {
  const std::uint64_t of_values = ~seed * 0x9E3779B97F4A7C15ull;  // keys of the same seed are no values
  fill_keys(values, KeyType::u64, Distribution::random, of_values);
  fill_keys(values.last(values.size() % 8), KeyType::u8, Distribution::random, of_values);
}

std::vector<std::byte> make_keys(KeyType type, std::uint64_t n, Distribution distribution,
                                 std::uint64_t seed) {
  if (n > std::numeric_limits<std::ptrdiff_t>::max() / size_of(type)) throw std::bad_alloc();
  std::vector<std::byte> keys(n * size_of(type));
  fill_keys(keys, type, distribution, seed);
  return keys;
}

}  // namespace bitune
