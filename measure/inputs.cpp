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

constexpr std::array<std::string_view, named_distributions.size()> distribution_names = {
    "random",  "sorted",   "reversed", "all_equal", "few_distinct", "sawtooth",
    "special", "some_nan", "near_one", "zipf",      "normal"};

constexpr std::uint64_t keys_to_make = std::uint64_t{1} << 20;

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
struct Fill {
  std::byte* to;
  std::uint64_t n;
  std::uint64_t seed;
  made::KeyRanks ranks;
  made::Ramp ramp;

  template <Distribution distribution>
  void run() const {
    write_keys<Word>(to, n,
                     [this](std::uint64_t i) { return made::key_at<distribution>(ranks, ramp, seed, n, i); });
  }
};

template <class Word>
void fill_words(std::span<std::byte> keys, KeyType type, Distribution distribution, std::uint64_t seed) {
  const std::uint64_t n = keys.size() / sizeof(Word);
  made::with_distribution(distribution, Fill<Word>{keys.data(), n, seed, key_facts_of(type).ranks(),
                                                   ramp_of(type, n, distribution)});
}

}  // namespace

KeyFacts key_facts_of(KeyType type) noexcept {
  KeyFacts facts{.bytes = static_cast<int>(size_of(type)), .is_signed = is_signed_integer(type)};
  switch (type) {
    case KeyType::f16:
      facts.infinity = 0x7C00;
      break;
    case KeyType::bf16:
      facts.infinity = 0x7F80;
      break;
    case KeyType::f32:
      facts.infinity = 0x7F800000;
      break;
    case KeyType::f64:
      facts.infinity = 0x7FF0000000000000;
      break;
    default:
      break;
  }
  return facts;
}

made::Ramp ramp_of(KeyType type, std::uint64_t n, Distribution distribution) noexcept {
  const std::uint64_t count = distribution == Distribution::sawtooth ? made::sawtooth_period() : n;
  const std::uint64_t steps = std::max<std::uint64_t>(count, 2) - 1;
  const std::uint64_t last_rank = key_facts_of(type).ranks().last_rank();
  if (steps <= last_rank) return {.step = last_rank / steps};
  __extension__ using Wide = unsigned __int128;
  const Wide step = (static_cast<Wide>(last_rank + 1) << 64) / (steps + 1);
  return {.step = static_cast<std::uint64_t>(step), .is_fraction = true};
}

std::string_view name_of(Distribution distribution) noexcept {
  return distribution_names[static_cast<std::size_t>(distribution)];
}

std::string distribution_list() { return fmt::format("{}", fmt::join(distribution_names, ", ")); }

Distribution parse_distribution(std::string_view text) {
  const auto found = std::find(distribution_names.begin(), distribution_names.end(), text);
  if (found == distribution_names.end()) {
    throw Error(ErrorCode::usage,
                fmt::format("unknown distribution '{}': choose one of {}", text, distribution_list()));
  }
  return static_cast<Distribution>(found - distribution_names.begin());
}

void fill_keys(std::span<std::byte> keys, KeyType type, Distribution distribution, std::uint64_t seed) {
  switch (size_of(type)) {
    case 1:
      return fill_words<std::uint8_t>(keys, type, distribution, seed);
    case 2:
      return fill_words<std::uint16_t>(keys, type, distribution, seed);
    case 4:
      return fill_words<std::uint32_t>(keys, type, distribution, seed);
    default:
      return fill_words<std::uint64_t>(keys, type, distribution, seed);
  }
}

std::uint64_t seed_of_values(std::uint64_t seed) noexcept { return ~seed * 0x9E3779B97F4A7C15ull; }

void fill_values(std::span<std::byte> values, std::uint64_t seed) {
  fill_keys(values, KeyType::u64, Distribution::random, seed_of_values(seed));
  fill_keys(values.last(values.size() % 8), KeyType::u8, Distribution::random, seed_of_values(seed));
}

std::vector<std::byte> make_keys(KeyType type, std::uint64_t n, Distribution distribution,
                                 std::uint64_t seed) {
  if (n > std::numeric_limits<std::ptrdiff_t>::max() / size_of(type)) throw std::bad_alloc();
  std::vector<std::byte> keys(n * size_of(type));
  fill_keys(keys, type, distribution, seed);
  return keys;
}

}  // namespace bitune
