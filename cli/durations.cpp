#include "cli/durations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 4> units = {
    {{"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}}};

template <class Number>
std::optional<std::pair<Number, std::string_view>> leading_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  return std::pair{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

}  // namespace

double parse_duration(std::string_view text) {
  if (const auto number = leading_number<double>(text); number && number->first > 0) {
    for (const auto& [name, seconds] : units) {
      // Above a century it is a slip, and infinity.
      if (number->second == name && number->first * seconds < 3e9) {
        return number->first * seconds;
      }
    }
  }
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is not a duration; write a number and its unit, as in 30s, 5m or 1h", text));
}

Budget parse_budget(std::string_view text) {
  Budget budget;
  if (text == "none") {
    return budget;
  }
  const auto refuse = [text] {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' is not a budget; write a duration (60s, 5m), a number of evaluations "
                            "(500evals), both with a comma between, or none",
                            text));
  };
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view term = rest.substr(0, comma);
    const auto count = leading_number<std::uint64_t>(term);
    if (count && count->second.empty()) {
      throw Error(ErrorCode::usage, fmt::format("the budget '{}' has no unit: write {}s for seconds, or "
                                                "{}evals for evaluations",
                                                text, term, term));
    }
    const bool counts = count && count->first > 0 && count->second == "evals";
    if (counts ? budget.evaluations.has_value() : budget.seconds.has_value()) {
      refuse();
    }
    if (counts) {
      budget.evaluations = count->first;
    } else {
      try {
        budget.seconds = parse_duration(term);
      } catch (const Error&) {
        refuse();
      }
    }
    if (comma == rest.size()) {
      return budget;
    }
    rest.remove_prefix(comma + 1);
  }
}

double parse_precision(std::string_view text) {
  if (text == "none") {
    return 0;
  }
  if (const auto number = leading_number<double>(text); number && number->first > 0 && number->first < 100 &&
                                                        (number->second == "%" || number->second == " %")) {
    return number->first / 100;
  }
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is not a precision; write a part of the median, as in 1%, or none", text));
}

}  // namespace bitune::cli
