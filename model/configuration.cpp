#include "model/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "bitune/error.hpp"

namespace bitune {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// A parameter that a variant had once, and the value that all its configurations have now.
struct RetiredParameter {
  std::string_view variant;
  std::string_view name;
  std::int64_t value;
};

constexpr std::array<RetiredParameter, 8> retired_parameters = {{
    {"multiway", "cluster_size", 1},
    {"multiway", "cooperative", 0},
    {"multiway", "split_chain", 1},
    {"radix", "imad_votes", 1},
    {"radix_pairs", "imad_votes", 1},
    {"radix_pairs", "write_lanes", 0},
    {"leading_digits", "imad_votes", 1},
    {"rows_by_digits", "imad_votes", 1},
}};

void leave_out_retired(Configuration& configuration) {
  for (const RetiredParameter& retired : retired_parameters) {
    if (configuration.variant != retired.variant) continue;
    const auto found = configuration.parameters.find(retired.name);
    if (found != configuration.parameters.end() && found->second == retired.value) {
      configuration.parameters.erase(found);
    }
  }
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw Error(
      ErrorCode::usage,
      fmt::format("'{}' is not a configuration: {}; write it as 'variant(parameter=1,other=2)'", text, why));
}

}  // namespace

const std::int64_t* Configuration::find(std::string_view name) const noexcept {
  for (const auto& [key, value] : parameters) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::int64_t Configuration::at(std::string_view name) const {
  const std::int64_t* const found = find(name);
  if (found == nullptr) {
    throw Error(ErrorCode::usage, fmt::format("the configuration '{}' of variant '{}' has no parameter '{}'",
                                              text(), variant, name));
  }
  return *found;
}

std::string Configuration::text() const {
  // Searches ask for the texts of hundreds of thousands of them.
  std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits{};
  std::string text;
  text.reserve(256);
  text.append(variant).push_back('(');
  for (const auto& [name, value] : parameters) {
    if (text.back() != '(') text.push_back(',');
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(name).append(1, '=').append(digits.data(), end);
  }
  text.push_back(')');
  return text;
}

Configuration Configuration::parse(std::string_view text) {
  Configuration configuration = parse_as_written(text);
  leave_out_retired(configuration);
  return configuration;
}

Configuration Configuration::parse_as_written(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') refuse(text, "there are no brackets");
  Configuration configuration;
  configuration.variant = text.substr(0, open);
  if (!is_name(configuration.variant)) refuse(text, "the variant is not a name");

  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = rest.substr(0, comma);
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const std::string_view digits = item.substr(std::min(equals + 1, item.size()));
    if (!is_name(name)) refuse(text, fmt::format("'{}' does not begin with a parameter's name", item));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      refuse(text, fmt::format("the value of '{}' is not an integer", name));
    }
    if (!configuration.parameters.emplace(name, value).second) {
      refuse(text, fmt::format("'{}' is there twice", name));
    }
    if (comma + 1 == rest.size()) refuse(text, "it ends in a comma");
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return configuration;
}

}  // namespace bitune
