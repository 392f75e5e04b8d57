#include "tuner/exchange/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace bitune::exchange {
namespace {

// What 10^-3 to 10^15 need; others are written with an exponent.
constexpr int most_zeros = 7;
constexpr int most_digits = 21;

bool read_exponent(std::string_view text, int& exponent) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return error == std::errc{} && end == text.data() + text.size() && std::abs(exponent) < 100'000;
}

}  // namespace

std::string shifted_text(double value, int shift) {
  std::array<char, 40> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  int exponent = 0;
  read_exponent(text.substr(e + 1), exponent);

  std::string sign;
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c == '-') sign = "-";
    if (c >= '0' && c <= '9') digits += c;
  }
  if (value == 0) return sign + "0.0";
  const int point = exponent + 1 + shift;  // digits before the decimal point
  if (point <= 0 && point > -most_zeros)
    return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point > 0 && point <= most_digits) {
    const auto before = static_cast<std::size_t>(point);
    if (digits.size() <= before) return sign + digits + std::string(before - digits.size(), '0') + ".0";
    return sign + digits.substr(0, before) + "." + digits.substr(before);
  }
  const std::string fraction = digits.size() > 1 ? digits.substr(1) : "0";
  return sign + digits.substr(0, 1) + "." + fraction + "e" + std::to_string(point - 1);
}

std::optional<double> shifted_value(std::string_view text, int shift) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  int exponent = 0;
  if (e < text.size() && !read_exponent(text.substr(e + 1), exponent)) return std::nullopt;
  const std::string moved = std::string(text.substr(0, e)) + "e" + std::to_string(exponent + shift);
  double value = 0;
  const auto [end, error] = std::from_chars(moved.data(), moved.data() + moved.size(), value);
  if (end != moved.data() + moved.size()) return std::nullopt;
  // Too small to tell from zero is zero; too large is no number that anybody measured.
  if (error == std::errc::result_out_of_range) {
    if (exponent + shift < 0) return 0.0;
    return std::nullopt;
  }
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace bitune::exchange
