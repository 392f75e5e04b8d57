#include "cli/formats/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "bitune/error.hpp"
#include "cli/formats/half.hpp"

namespace bitune::cli {
namespace {

enum class Parsed { ok, no_number, out_of_range };

template <class Number>
Parsed parse_number(std::string_view text, Number& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  if constexpr (std::is_unsigned_v<Number>) {
    if (std::int64_t negative = 0; text.starts_with('-')) {
      return parse_number(text, negative) == Parsed::no_number ? Parsed::no_number : Parsed::out_of_range;
    }
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    return Parsed::no_number;
  }
  if (error == std::errc()) {
    return Parsed::ok;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    // Too small for the type is no error: the nearest number is zero or a subnormal one.
    if (const double wide = std::strtod(std::string(text).c_str(), nullptr); std::fabs(wide) < 1) {
      value = static_cast<Number>(wide);
      return Parsed::ok;
    }
  }
  return Parsed::out_of_range;
}

/// The digits of an integer, without sign and leading zeros. Nothing if the text has others than digits.
std::optional<std::string_view> digits_of(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
}

/// Whether f64 has this number but for the rounding that every fraction gets.
bool f64_holds(std::string_view text, double value) {
  if (const auto digits = digits_of(text)) return fmt::format("{:.0f}", std::fabs(value)) == *digits;
  if (value != 0) return true;
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  return mantissa.find_first_of("123456789") == std::string_view::npos;
}

/// The type that is tried next where this one does not hold a number. Nothing: there is none.
std::optional<KeyType> wider(KeyType type, std::string_view text) {
  if (type == KeyType::f64) return std::nullopt;
  return type == KeyType::i64 && digits_of(text) && !text.starts_with('-') ? KeyType::u64 : KeyType::f64;
}

/// Goes through all numbers once.
class NumberReader {
 public:
  NumberReader(const NumberSource& source, KeyType type, bool chosen)
      : source_(source), type_(type), chosen_(chosen) {
    bytes_.reserve(source.count * size_of(type));
  }

  /// Nothing if another type must be tried: `next`.
  std::optional<KeyArray> read() {
    with_number_of(type_, [this](auto number) {
      source_.visit([&](std::string_view text, std::uint64_t line) { return take(text, line, number); });
    });
    if (next_) return std::nullopt;
    return make_list(type_, std::move(bytes_));
  }

  [[nodiscard]] std::optional<KeyType> next() const noexcept { return next_; }

 private:
  template <class Number>
  bool take(std::string_view text, std::uint64_t line, Number number) {
    const Parsed parsed = parse_number(text, number);
    bool fits = parsed == Parsed::ok;
    const void* key = &number;
    std::uint16_t half = 0;
    if (type_ == KeyType::f16 || type_ == KeyType::bf16) {
      half = to_half(type_, static_cast<double>(number));
      key = &half;
      fits = fits && (std::isinf(from_half(type_, half)) == std::isinf(static_cast<double>(number)));
    }
    if (double real = 0; chosen_ && !fits && parse_number(text, real) != Parsed::no_number) {
      next_ = wider(type_, text);
      if (next_) return false;
    }
    if (parsed == Parsed::no_number) {
      throw Error(ErrorCode::input,
                  fmt::format("{}, line {}: '{}' is not a number of type {}{}", source_.name, line,
                              shown(text), name_of(type_), source_.hint(line)));
    }
    if (!fits) {
      throw Error(ErrorCode::input, fmt::format("{}, line {}: {} is out of the range of {}; {}", source_.name,
                                                line, shown(text), name_of(type_),
                                                chosen_ ? "no key type holds it" : "give another --type"));
    }
    if constexpr (std::is_same_v<Number, double>) {
      if (chosen_ && !f64_holds(text, number)) {
        throw Error(
            ErrorCode::input,
            fmt::format("{}, line {}: {} would become {} in f64, the one type for all numbers here; give "
                        "--type f64 if that is good enough",
                        source_.name, line, shown(text), number));
      }
    }
    const auto* begin = static_cast<const std::byte*>(key);
    bytes_.insert(bytes_.end(), begin, begin + size_of(type_));
    return true;
  }

  const NumberSource& source_;
  KeyType type_;
  bool chosen_;  ///< by bitune, and not by the user
  std::vector<std::byte> bytes_;
  std::optional<KeyType> next_;
};

}  // namespace

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) {
    result += c >= ' ' && c <= '~' ? c : '?';
  }
  return text.size() > 40 ? result + "..." : result;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

KeyArray parse_numbers(const NumberSource& source, std::optional<KeyType> type, const ReadLimit& limit,
                       std::uint64_t taken) {
  for (KeyType tried = type.value_or(KeyType::i64);;) {
    limit.check(taken + source.count * size_of(tried), source.name);
    NumberReader reader(source, tried, !type);
    if (auto keys = reader.read()) return std::move(*keys);
    tried = *reader.next();
  }
}

}  // namespace bitune::cli
