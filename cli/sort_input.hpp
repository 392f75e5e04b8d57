#pragma once

/// \file
/// What `bitune sort` sorts: a file or generated keys, in rows.

#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/formats/format.hpp"
#include "cli/formats/read_limit.hpp"

namespace CLI {
class App;
}

namespace bitune::cli {

/// The one rule of formats, for the help of commands that read keys. A macro, as it is a part of literals.
#define BITUNE_FORMAT_RULES                                                                                \
  "What INPUT is, file or standard input: as --format says; else .npy if it begins so; else by its name, " \
  ".npy,\n"                                                                                                \
  ".bin or .raw, .txt, .csv or .tsv; else text. The output is as --output-format says, else by its name, " \
  "else\n"                                                                                                 \
  "as INPUT. Raw keys are little endian and need --type.\n"                                                \
  "Text has numbers between ends of lines, commas, semicolons or blanks. Without --type they are i64 if "  \
  "all are\n"                                                                                              \
  "integers that fit, else u64 or f64; what f64 would change by more than the usual rounding is refused.\n"

/// Keys with the name and format they came with.
struct SortInput {
  KeyArray keys;
  std::string name;
  Format format = Format::raw;
};

/// The options that say what is read, as they are typed.
struct InputOptions {
  std::string path;  ///< "-": standard input
  std::string type;
  std::string format;
  std::string max_bytes;
};

/// INPUT, --type, --format and --max-bytes. `required`: INPUT must be given.
void add_input_options(CLI::App& command, InputOptions& options, bool required);

/// What the options mean.
struct InputRequest {
  std::string path;
  std::optional<KeyType> type;
  std::optional<Format> format;
  ReadLimit limit;
};

/// \throws Error (usage)
[[nodiscard]] InputRequest request_of(const InputOptions& options);

/// Reads keys in the format that is asked for, or that the input has. \throws Error (input, io, usage)
[[nodiscard]] SortInput read_input(const InputRequest& request);

/// Format of the output, by one rule: as --output-format says, else as the output's name ends, else as the
/// input is. \throws Error (usage), also where the name's ending is that of another format, or where what is
/// no text would go to a terminal
[[nodiscard]] Format output_format_of(const std::string& option, const std::string& output, Format input);

/// Makes keys as "random:1000000" says: a distribution and a size. \throws Error (usage)
[[nodiscard]] SortInput generate_input(const std::string& what, KeyType type, std::uint64_t seed,
                                       const ReadLimit& limit = {});

/// Number of rows that are sorted on their own. `option` is the text of --rows: empty for a single array, a
/// number, or "auto" for the leading dimensions of the array. 1 makes a single array of any shape, which
/// `keys` then is. \throws Error (usage) where it does not fit the shape
[[nodiscard]] std::uint64_t rows_of(KeyArray& keys, const std::string& option, const std::string& name);

/// Rows of one length.
struct RowsOfKeys {
  std::uint64_t count = 1;
  std::uint64_t length = 0;
};

/// Whatever the names, links included: the second one written would replace the first.
[[nodiscard]] bool is_one_file(const std::string& a, const std::string& b);

/// The type that --index names; if it is empty u32, or what several devices have. \throws Error (usage)
[[nodiscard]] KeyType index_type_of(const std::string& text, const std::vector<std::string>& devices);

/// The rows of an input, by `rows_of`. \throws Error (usage)
[[nodiscard]] RowsOfKeys row_shape_of(SortInput& input, const std::string& option);

/// Says that the host has no memory to sort this. \throws Error (io)
[[noreturn]] void refuse_for_memory(const std::string& input);

/// Calls `action`; if memory is short, that becomes a sentence that names the input. \throws Error
template <class Action>
int within_memory(const std::string& input, Action&& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    refuse_for_memory(input);
  } catch (const std::length_error&) {
    refuse_for_memory(input);
  }
}

}  // namespace bitune::cli
