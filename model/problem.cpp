#include "model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>

#include "bitune/error.hpp"
#include "model/fields.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"

namespace bitune {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t value = 1;
  for (std::uint64_t i = 0; i < exponent && base > 1; ++i) {
    if (__builtin_mul_overflow(value, base, &value)) return std::nullopt;
  }
  return base == 0 && exponent > 0 ? 0 : value;
}

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t value = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &value)) return std::nullopt;
  return value;
}

// Grammar: digits | digits '^' digits | digits ('e' | 'E') digits | digits ('K' | 'M' | 'G').
std::optional<std::uint64_t> size_in(std::string_view text) {
  if (const auto at = text.find('^'); at != std::string_view::npos) {
    const auto base = number(text.substr(0, at));
    const auto exponent = number(text.substr(at + 1));
    return base && exponent ? power(*base, *exponent) : std::nullopt;
  }
  if (const auto at = text.find_first_of("eE"); at != std::string_view::npos) {
    const auto exponent = number(text.substr(at + 1));
    return exponent ? product(number(text.substr(0, at)), power(10, *exponent)) : std::nullopt;
  }
  if (text.empty()) return std::nullopt;
  const std::string_view head = text.substr(0, text.size() - 1);
  switch (text.back()) {
    case 'k':
    case 'K':
      return product(number(head), std::uint64_t{1} << 10);
    case 'm':
    case 'M':
      return product(number(head), std::uint64_t{1} << 20);
    case 'g':
    case 'G':
      return product(number(head), std::uint64_t{1} << 30);
    default:
      return number(text);
  }
}

void add_range(std::string_view term, std::size_t dots, std::vector<std::uint64_t>& sizes) {
  std::string_view last_text = term.substr(dots + 2);
  std::uint64_t step = 1;
  if (const auto colon = last_text.find(':'); colon != std::string_view::npos) {
    step = number(trimmed(last_text.substr(colon + 1))).value_or(0);
    if (step == 0 || step > 63) {
      throw Error(ErrorCode::usage, fmt::format("the step in sizes '{}' must be from 1 to 63", term));
    }
    last_text = last_text.substr(0, colon);
  }
  const std::uint64_t first = parse_size(term.substr(0, dots));
  const std::uint64_t last = parse_size(last_text);
  const std::size_t before = sizes.size();
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t n = std::uint64_t{1} << bit;
    if (n < first) continue;
    if (n > last) break;
    sizes.push_back(n);
    bit += static_cast<unsigned>(step - 1);
  }
  if (sizes.size() == before) {
    throw Error(ErrorCode::usage,
                fmt::format("there is no power of two in sizes '{}'; write it as '2^10..2^26'", term));
  }
}

}  // namespace

std::string text_of(const Problem& problem) {
  std::string text = fmt::format("{} {} {} n={}", name_of(problem.operation), name_of(problem.key),
                                 name_of(problem.order), problem.n);
  if (problem.rows != 1) text += fmt::format(" rows={}", problem.rows);
  const Problem usual;
  for_each_field(problem, usual,
                 [&text](std::string_view name, const auto& field, const auto& its_default, FieldAge age) {
                   if (age == FieldAge::first || field == its_default) return;
                   text += fmt::format(" {}={}", name, field_text(field));
                 });
  return text;
}

std::string word_of(const SortSpec& spec) {
  std::string word = fmt::format("{}_{}", name_of(spec.operation), name_of(spec.key));
  if (spec.value_bytes != 0) word += fmt::format("_v{}", spec.value_bytes);
  if (spec.index_bytes != 0) word += fmt::format("_i{}", spec.index_bytes);
  if (spec.stable) word += "_stable";
  return word + fmt::format("_{}", name_of(spec.order));
}

std::uint32_t carried_bytes(const SortSpec& spec) noexcept { return spec.value_bytes + spec.index_bytes; }

bool writes_keys(const SortSpec& spec) noexcept {
  return facts_of(spec.operation).keys_out != Presence::never;
}

bool has_keys_alone(const SortSpec& spec) noexcept {
  const OperationFacts& facts = facts_of(spec.operation);
  return !facts.selects && facts.values != Presence::always && facts.indices != Presence::always &&
         carried_bytes(spec) == 0;
}

bool sorts_keys_alone(const Problem& problem) noexcept { return has_keys_alone(problem) && !problem.ragged; }

bool has_one_result(const Problem& problem) noexcept {
  return carried_bytes(problem) == 0 || problem.stable || facts_of(problem.operation).always_stable;
}

std::uint64_t result_length(const Problem& problem) noexcept {
  return selects(problem.operation) ? problem.k : problem.n;
}

std::uint64_t mean_length(const Problem& problem) noexcept {
  if (!problem.ragged || problem.rows == 0) return problem.n;
  return problem.n / problem.rows + (problem.n % problem.rows != 0 ? 1 : 0);
}

std::uint32_t equal_length(const Shape& segments) noexcept {
  if (segments.rows == 0 || segments.n % segments.rows != 0) return 0;
  const std::uint64_t length = segments.n / segments.rows;
  return length <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(length) : 0;
}

bool has_fitting_k(const Problem& problem) noexcept {
  return !selects(problem.operation) || (problem.k >= 1 && (problem.ragged || problem.k <= problem.n));
}

std::uint64_t key_count(const Problem& problem) {
  const auto keys = problem.ragged ? problem.n : product(problem.n, problem.rows);
  if (!keys || *keys > std::uint64_t{1} << 63) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' has more than 2^63 keys; give a smaller size", text_of(problem)));
  }
  return *keys;
}

double keys_in_all(const Shape& shape) noexcept {
  return static_cast<double>(shape.n) * (shape.ragged ? 1 : static_cast<double>(shape.rows));
}

std::uint64_t key_bytes(const Problem& problem) {
  const auto bytes =
      product(problem.ragged ? problem.n : product(problem.n, problem.rows), size_of(problem.key));
  if (!bytes || *bytes > std::uint64_t{1} << 63) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is larger than 2^63 bytes; give a smaller size", text_of(problem)));
  }
  return *bytes;
}

std::uint64_t parse_size(std::string_view text) {
  if (const auto size = size_in(trimmed(text))) return *size;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is not a size below 2^64; write it as 4096, 2^20, 1e6 or 64K", text));
}

std::uint64_t rows_in_total(std::uint64_t total, std::uint64_t n) {
  if (n == 0 || total < n) {
    throw Error(ErrorCode::usage,
                fmt::format("a total of {} keys has no row of {} keys; give sizes from 1 to the "
                            "total",
                            total, n));
  }
  return total / n;
}

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view term = trimmed(text.substr(begin, end - begin));
    if (const auto dots = term.find(".."); dots != std::string_view::npos) {
      add_range(term, dots, sizes);
    } else {
      sizes.push_back(parse_size(term));
    }
    begin = end + 1;
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string size_text(std::uint64_t n) {
  if (n >= 1024 && std::has_single_bit(n)) return fmt::format("2^{}", std::countr_zero(n));
  return fmt::format("{}", n);
}

}  // namespace bitune
