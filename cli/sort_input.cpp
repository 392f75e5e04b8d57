#include "cli/sort_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <system_error>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/host_memory.hpp"
#include "cli/sort_report.hpp"
#include "measure/inputs.hpp"
#include "model/problem.hpp"

namespace bitune::cli {

void add_input_options(CLI::App& command, InputOptions& options, bool required) {
  add_argument(command, "INPUT", options.path, "File of keys, or - for standard input", required);
  add_text(command, "--type", options.type, "Key type of raw or text keys; bf16 also for .npy of u16",
           "TYPE");
  add_text(command, "--format", options.format, "Format of INPUT: npy, raw or text (default: see below)",
           "FORMAT");
  add_text(command, "--max-bytes", options.max_bytes,
           "Most memory that INPUT may take, as in 64M (default: half of what the host has free)", "SIZE");
}

InputRequest request_of(const InputOptions& options) {
  InputRequest request;
  request.path = options.path;
  if (!options.type.empty()) request.type = parse_key_type(options.type);
  if (!options.format.empty()) request.format = parse_format(options.format);
  request.limit = read_limit_of(options.max_bytes);
  return request;
}

SortInput read_input(const InputRequest& request) {
  InputFile file(request.path, request.limit);
  const Format format = request.format ? *request.format : detect_format(file);
  return {read_keys(file, format, request.type), file.name(), format};
}

Format output_format_of(const std::string& option, const std::string& output, Format input) {
  Format format = input;
  if (!option.empty()) {
    format = parse_format(option);
  } else {
    refuse_foreign_name(output);
    format = format_of_name(output).value_or(input);
  }
  refuse_terminal(output.empty() ? "-" : output, format);
  return format;
}

SortInput generate_input(const std::string& what, KeyType type, std::uint64_t seed, const ReadLimit& limit) {
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
  limit.check(key_bytes(problem), "--generate " + what);
  return {make_list(type, make_keys(type, problem.n, distribution, seed)), "generated " + what, Format::raw};
}

std::uint64_t rows_of(KeyArray& keys, const std::string& option, const std::string& name) {
  std::uint64_t leading = 1;
  for (std::size_t i = 0; i + 1 < keys.shape.size(); ++i) {
    leading *=
        keys.shape[i];  // cannot overflow unless a later extent is 0, and then there is nothing to sort
  }
  if (keys.ragged && (option.empty() || option == "auto")) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the lines of {} have different counts of numbers; give --rows 1 to sort all of them as "
                    "one array, or --key to sort the lines of a CSV file by a column",
                    name));
  }
  if (keys.shape.size() > 1 && option.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} has the shape ({}); give --rows {} (or --rows auto) to sort each row on "
                            "its own, or --rows 1 to sort all as one array",
                            name, fmt::join(keys.shape, ", "), leading));
  }
  if (option.empty() || option == "auto") {
    return leading;
  }
  const std::uint64_t rows = parse_size(option);
  if (rows == 0) {
    throw Error(ErrorCode::usage, "--rows must be 1 or more");
  }
  if (rows == 1) {
    keys.shape = {keys.count()};
    return rows;
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

bool is_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& name) {
    std::error_code none;
    return fs::weakly_canonical(fs::absolute(name, none), none);
  };
  return a == b || (!b.empty() && b != "-" && place(a) == place(b));
}

KeyType index_type_of(const std::string& text, const std::vector<std::string>& devices) {
  if (text.empty()) return devices.empty() ? KeyType::u32 : KeyType::u64;
  if (text == "u32") return KeyType::u32;
  if (text == "u64") return KeyType::u64;
  throw Error(ErrorCode::usage, fmt::format("--index is u32 or u64, not '{}'", text));
}

RowsOfKeys row_shape_of(SortInput& input, const std::string& option) {
  const std::uint64_t rows = rows_of(input.keys, option, input.name);
  return {rows, rows > 0 ? input.keys.count() / rows : 0};
}

void refuse_for_memory(const std::string& input) {
  throw Error(ErrorCode::io,
              fmt::format("there is not enough host memory to sort {}, which takes several times its own "
                          "size; sort it in parts, or let --max-bytes refuse it early",
                          input == "-" ? "standard input" : input));
}

}  // namespace bitune::cli
