#include "cli/sort_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "model/problem.hpp"

namespace bitune::cli {

SortInput read_input(const std::string& path, std::optional<Format> format, std::optional<KeyType> type) {
  InputFile file(path);
  const Format found = format ? *format : detect_format(file, type.has_value());
  return {read_keys(file, found, type), file.name(), found};
}

SortInput generate_input(const std::string& what, KeyType type, std::uint64_t seed) {
  const auto colon = what.find(':');
  if (colon == std::string::npos) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--generate takes a distribution and a size, as in random:1000000, not '{}'", what));
  }
  const bitune::Distribution distribution = parse_distribution(what.substr(0, colon));
  Problem problem;
  problem.key = type;
  problem.n = parse_size(what.substr(colon + 1));
  static_cast<void>(key_bytes(problem));  // throws if it exceeds any memory
  return {make_list(type, make_keys(type, problem.n, distribution, seed)), "generated " + what, Format::raw};
}

std::uint64_t rows_of(const KeyArray& keys, const std::string& option, const std::string& name) {
  std::uint64_t leading = 1;
  for (std::size_t i = 0; i + 1 < keys.shape.size(); ++i) {
    leading *=
        keys.shape[i];  // cannot overflow unless a later extent is 0, and then there is nothing to sort
  }
  if (keys.shape.size() > 1 && option.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} has the shape ({}); give --rows {} (or --rows auto) to sort each row on "
                            "its own, or save it flat",
                            name, fmt::join(keys.shape, ", "), leading));
  }
  if (option.empty() || option == "auto") {
    return leading;
  }
  const std::uint64_t rows = parse_size(option);
  if (rows == 0) {
    throw Error(ErrorCode::usage, "--rows must be 1 or more");
  }
  if (keys.shape.size() > 1 && rows != leading) {
    throw Error(ErrorCode::usage, fmt::format("{} has {} rows, not the {} of --rows", name, leading, rows));
  }
  if (keys.count() % rows != 0) {
    throw Error(ErrorCode::usage, fmt::format("{} has {} keys, which do not make {} rows of equal length",
                                              name, keys.count(), rows));
  }
  return rows;
}

}  // namespace bitune::cli
