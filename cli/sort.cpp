#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "bitune/bitune.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_input.hpp"
#include "cli/device_ranks.hpp"
#include "cli/formats/npy.hpp"
#include "cli/host_call.hpp"
#include "cli/record_keys.hpp"
#include "cli/segments_input.hpp"
#include "cli/sort_input.hpp"
#include "cli/sort_report.hpp"
#include "cli/values.hpp"
#include "measure/inputs.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {
namespace sort_command {
namespace {

constexpr const char* description =
    "Sorts a file with the best configuration that the tuning database knows for this device, key type and "
    "size, and says which one that was and why. INPUT is a .npy array, raw binary keys, text, or - for "
    "standard "
    "input; with --key, records of a structured .npy array or CSV, which travel whole. Floating point sorts "
    "as in NumPy, every NaN last, but -0 always before +0, which NumPy leaves in any order; descending is "
    "the "
    "exact reverse.";

constexpr const char* footer = BITUNE_FORMAT_RULES
    "\n"
    "Key types are u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64. The output appears whole or not at all.\n"
    "With --values or --key equal keys keep their order, and all NaNs are equal keys.\n"
    "\n"
    "Examples:\n"
    "  bitune sort numbers.npy -o sorted.npy --verify\n"
    "  bitune sort keys.bin --type u64 --descending -o keys.sorted.bin\n"
    "  seq 1000 | shuf | bitune sort - > sorted.txt\n"
    "  bitune sort matrix.npy --rows auto -o rows.npy      each row on its own\n"
    "  bitune sort keys.npy --values ids.npy -o keys.sorted.npy --values-out ids.sorted.npy\n"
    "  bitune sort keys.npy --offsets offsets.npy -o sorted.npy      segments of any lengths, each on its "
    "own\n"
    "  bitune sort data.npy --offsets indptr.npy --values indices.npy -o data.sorted.npy --values-out "
    "indices.sorted.npy\n"
    "  bitune sort scores.npy --values ids.npy --rows auto -o scores.sorted.npy --values-out ids.sorted.npy\n"
    "  bitune sort keys.npy --devices 0,1 -o sorted.npy      one array over two GPUs\n"
    "  bitune sort trades.csv --key price:desc,time -o sorted.csv\n"
    "  bitune sort records.npy --key price -o sorted.npy\n"
    "  bitune sort --generate random:2^24 --type f32 --verify      only to see how fast it is";

struct SortOptions {
  CommonOptions common;
  InputOptions input;
  RecordOptions records;
  std::string output;
  std::string output_format;
  std::string rows;
  SegmentOptions segments;
  std::vector<std::string> devices;  ///< none: one device
  std::string values;
  std::string values_output;
  std::string generate;
  std::uint64_t seed = 1;
  bool descending = false;
  bool verify = false;
};

void check_usage(const SortOptions& options) {
  if (options.input.path.empty() == options.generate.empty()) {
    throw Error(ErrorCode::usage, options.input.path.empty()
                                      ? "give a file to sort (- for standard input), or --generate"
                                      : "give a file to sort or --generate, not both");
  }
  if (!options.generate.empty() && options.input.type.empty()) {
    throw Error(ErrorCode::usage, "--generate needs --type");
  }
  if (options.values.empty() != options.values_output.empty()) {
    throw Error(ErrorCode::usage, options.values.empty()
                                      ? "--values-out needs --values FILE, which travel with the keys"
                                      : "--values needs --values-out FILE, where the values go");
  }
  if (!options.values.empty() &&
      (options.values_output == "-" || is_one_file(options.values_output, options.output))) {
    throw Error(ErrorCode::usage,
                "--values-out names a file of its own, as keys and values do not go to one");
  }
  if (!options.values.empty() && !options.generate.empty()) {
    throw Error(ErrorCode::usage, "values travel with the keys of a file: leave --generate out");
  }
  check_record_options(options.records);
  if (!options.records.keys.empty() && (!options.values.empty() || !options.generate.empty() ||
                                        !options.rows.empty() || !options.segments.offsets.empty())) {
    throw Error(ErrorCode::usage,
                "--key sorts the records of a file: leave --values, --generate, --rows and --offsets out");
  }
  if (!options.segments.offsets.empty() && !(options.rows.empty() && options.generate.empty())) {
    throw Error(ErrorCode::usage,
                "--offsets say where the segments of a file lie: leave --rows and --generate out");
  }
  if (options.common.json && options.generate.empty() && (options.output.empty() || options.output == "-")) {
    throw Error(ErrorCode::usage, "--json needs -o FILE, as the document goes to standard output");
  }
}

/// Where the sorted keys go; empty if nowhere ("-": standard output).
std::string destination_of(const SortOptions& options) {
  return options.output.empty() && options.generate.empty() ? "-" : options.output;
}

void verify(const std::vector<std::byte>& original, const KeyArray& sorted, const Problem& problem) {
  if (const auto fault = find_fault_of_keys(problem, original, sorted.bytes)) {
    throw Error(ErrorCode::verification,
                fmt::format("the result is wrong ({}); nothing was written. Please report this with the "
                            "configuration that `--json` shows",
                            *fault));
  }
}

SortReport sort_keys(const SortOptions& options, CommandInput& from) {
  SortInput& input = from.keys();
  SortReport report;
  report.input = input.name;
  Problem& problem = report.problem;
  problem.key = input.keys.type;
  problem.order = options.descending ? Order::descending : Order::ascending;
  problem.rows = rows_of(input.keys, options.rows, input.name);
  problem.n = problem.rows > 0 ? input.keys.count() / problem.rows : 0;

  Sorter& sorter = from.sorter();
  Problem prepared = problem;
  prepared.rows = std::max<std::uint64_t>(problem.rows, 1);
  prepare(sorter, prepared, report);

  const std::vector<std::byte> original = options.verify ? input.keys.bytes : std::vector<std::byte>{};
  report.times =
      sorter.sort_rows_host(input.keys.bytes.data(), problem.rows, problem.n, problem.key, problem.order);
  if (options.verify) {
    verify(original, input.keys, problem);
    report.verified = true;
  }
  return report;
}

/// \throws Error (input) where values are in other rows than their keys
void check_shape_of(const ValueArray& values, const std::string& path, const SortInput& input) {
  if (values.shape.size() <= 1 || values.shape == input.keys.shape) return;
  throw Error(
      ErrorCode::input,
      fmt::format("{} has the shape ({}), and {} ({}): give a value for each key, in rows as they are", path,
                  fmt::join(values.shape, ", "), input.name, fmt::join(input.keys.shape, ", ")));
}

/// Sorts keys, and values if there are some, over several devices. What was read stays until it is verified.
SortReport sort_over_devices(const SortOptions& options, CommandInput& from, ValueArray* values) {
  SortInput& input = from.keys();
  const auto [rows, n] = row_shape_of(input, options.rows);
  if (rows != 1) {
    throw Error(ErrorCode::usage,
                fmt::format("--devices sort one array, and {} has {} rows: give --rows 1", input.name, rows));
  }
  Problem problem{{.key = input.keys.type}, {.n = n}};
  problem.order = options.descending ? Order::descending : Order::ascending;
  std::vector<std::byte> sorted_keys(input.keys.bytes.size());
  std::vector<std::byte> sorted_values;
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, n};
  operands[Role::keys_out] = {sorted_keys.data(), n, n};
  if (values != nullptr) {
    check_shape_of(*values, options.values, input);
    problem.operation = Operation::sort_pairs;
    problem.value_bytes = static_cast<std::uint32_t>(values->value_bytes);
    problem.stable = true;
    sorted_values.resize(values->bytes.size());
    operands[Role::values_in] = {values->bytes.data(), n, n};
    operands[Role::values_out] = {sorted_values.data(), n, n};
  }
  SortReport report = call_over_devices(options.devices, options.common, problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted_keys);
  if (values != nullptr) values->bytes = std::move(sorted_values);
  return report;
}

/// Puts the keys of each segment in order. What was read stays until it is verified.
SortReport sort_segments(const SortOptions& options, CommandInput& from, SegmentInput& segments) {
  SortInput& input = from.keys();
  const Problem problem{{.operation = Operation::sort,
                         .key = input.keys.type,
                         .order = options.descending ? Order::descending : Order::ascending},
                        segments.shape};
  std::vector<std::byte> sorted = input.keys.bytes;  // what is in no segment stays
  const std::uint64_t n = input.keys.count();
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, n};
  operands[Role::keys_out] = {sorted.data(), n, n};
  segments.add_to(operands);
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted);
  return report;
}

SortSpec pairs_spec(const SortOptions& options, const SortInput& input, std::uint64_t value_bytes) {
  return {.operation = Operation::sort_pairs,
          .key = input.keys.type,
          .value_bytes = static_cast<std::uint32_t>(value_bytes),
          .order = options.descending ? Order::descending : Order::ascending,
          .stable = true};
}

/// What is asked of keys, and of such values with them.
Problem problem_of(const SortOptions& options, SortInput& input, std::uint64_t value_bytes) {
  const RowsOfKeys rows = row_shape_of(input, options.rows);
  SortSpec spec = pairs_spec(options, input, value_bytes);
  if (value_bytes == 0) {
    spec.operation = Operation::sort;
    spec.stable = false;
  }
  return {spec, {.n = rows.length, .rows = rows.count}};
}

/// Sorts from files to files, none of which is read or written as a whole.
SortReport sort_in_files(const SortOptions& options, CommandInput& from, OutputFile& output,
                         OutputFile* values_output, const ReadLimit& limit) {
  SortInput& input = from.keys();
  const std::uint64_t n = input.keys.count();
  ValueArray values;
  if (values_output != nullptr) {
    values = map_values(options.values, n, limit);
    check_shape_of(values, options.values, input);
  }
  const Problem problem = problem_of(options, input, values.value_bytes);
  const Format format = output_format_of(options.output_format, options.output, input.format);
  const auto sorted = map_keys(output, format, input.keys, input.keys.content().size());
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<std::byte*>(input.keys.content().data()), n, problem.n};
  operands[Role::keys_out] = {sorted.data(), n, problem.n};
  if (values_output != nullptr) {
    if (!values.npy_descr.empty()) write_npy_values_header(*values_output, values);
    const auto sorted_values = values_output->map(values.content().size());
    operands[Role::values_in] = {const_cast<std::byte*>(values.content().data()), n, problem.n};
    operands[Role::values_out] = {sorted_values.data(), n, problem.n};
  }
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  return report;
}

/// Puts keys and values in the order of the keys. What was read stays until it is verified.
SortReport sort_with_values(const SortOptions& options, CommandInput& from,
                            std::optional<SegmentInput>& segments, ValueArray& values) {
  SortInput& input = from.keys();
  const RowsOfKeys rows = segments ? RowsOfKeys{1, input.keys.count()} : row_shape_of(input, options.rows);
  check_shape_of(values, options.values, input);
  const Problem problem{pairs_spec(options, input, values.value_bytes),
                        segments ? segments->shape : Shape{.n = rows.length, .rows = rows.count}};
  const std::uint64_t n = input.keys.count();
  std::vector<std::byte> sorted_keys = input.keys.bytes;  // what is in no segment stays
  std::vector<std::byte> sorted_values = values.bytes;
  Operands operands;
  operands[Role::keys_in] = {input.keys.bytes.data(), n, rows.length};
  operands[Role::keys_out] = {sorted_keys.data(), n, rows.length};
  operands[Role::values_in] = {values.bytes.data(), n, rows.length};
  operands[Role::values_out] = {sorted_values.data(), n, rows.length};
  if (segments) segments->add_to(operands);
  SortReport report = call_on_host(from.sorter(), problem, operands, options.verify);
  report.input = input.name;
  input.keys.bytes = std::move(sorted_keys);
  values.bytes = std::move(sorted_values);
  return report;
}

/// Writes whole records in the order of some of their fields.
SortReport sort_records(const SortOptions& options, const InputRequest& request, OutputFile& output) {
  SortReport report;
  Format format = Format::text;
  const auto records = read_records(request, options.records, format);
  const Format output_format = output_format_of(options.output_format, options.output, format);
  if (!records->has_format(output_format)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("records of {} are not written as {}: CSV stays text, and .npy goes to .npy or raw",
                    records->name(), name_of(output_format)));
  }
  const auto keys = parse_record_keys(options.records.keys, *records,
                                      options.descending ? Order::descending : Order::ascending);
  const KeyType index = records->count() >> 32 == 0 ? KeyType::u32 : KeyType::u64;
  const KeyArray order =
      order_of(*records, keys, options.common, index, request.type, options.verify, report);
  records->write(output, output_format, order);
  report.whole_records = true;
  return report;
}

/// About how many bytes each value has: the file is not opened yet.
std::uint64_t width_of(const std::string& path, std::uint64_t keys) {
  std::error_code none;
  const std::uintmax_t bytes = std::filesystem::file_size(path, none);
  return none ? 1 : std::clamp<std::uint64_t>(std::bit_floor(bytes / keys), 1, 16);
}

/// Generated keys, those of a file, or that file, if it is too large to be read.
CommandInput input_of(const SortOptions& options, const InputRequest& request,
                      const std::optional<OutputFile>& output,
                      const std::optional<OutputFile>& values_output) {
  if (!options.generate.empty()) {
    return {options.common, generate_input(options.generate, *request.type, options.seed, request.limit)};
  }
  // Each device takes its part from memory.
  if (!options.devices.empty()) return {options.common, read_input(request)};
  MappedResults results;
  results.possible = options.segments.offsets.empty() && (!values_output || values_output->is_file()) &&
                     can_be_mapped(*output, options.output, options.output_format);
  results.folder = folder_of(options.output);
  return {options.common, request, results, [&](SortInput& input) {
            return problem_of(options, input,
                              options.values.empty() ? 0 : width_of(options.values, input.keys.count()));
          }};
}

int sort(const SortOptions& options) {
  check_usage(options);
  const InputRequest request = request_of(options.input);
  require_named_database(options.common);
  const std::string destination = destination_of(options);
  // Before any work, so that a name that is no good is noticed first.
  static_cast<void>(output_format_of(options.output_format, options.output, Format::text));
  std::optional<OutputFile> output;
  if (!destination.empty()) output.emplace(destination);
  if (!options.records.keys.empty()) {
    SortReport report = sort_records(options, request, *output);
    output->commit();
    report.output = destination;
    print_report(report, options.common.json);
    return done;
  }
  std::optional<OutputFile> values_output;
  if (!options.values.empty()) values_output.emplace(options.values_output);
  CommandInput from = input_of(options, request, output, values_output);
  SortInput& input = from.keys();
  Format output_format = input.format;
  if (output) output_format = output_format_of(options.output_format, options.output, input.format);
  if (from.is_in_file()) {
    SortReport report =
        sort_in_files(options, from, *output, values_output ? &*values_output : nullptr, request.limit);
    if (values_output) values_output->commit();
    output->commit();
    report.output = destination;
    report.values_output = options.values_output;
    print_report(report, options.common.json);
    return done;
  }
  std::optional<SegmentInput> segments = read_segments(options.segments, input, request.limit);
  SortReport report;
  const bool over_devices = !options.devices.empty();
  if (options.values.empty()) {
    report = over_devices ? sort_over_devices(options, from, nullptr)
             : segments   ? sort_segments(options, from, *segments)
                          : sort_keys(options, from);
  } else {
    ValueArray values = read_values(options.values, input.keys.count(), request.limit);
    report = over_devices ? sort_over_devices(options, from, &values)
                          : sort_with_values(options, from, segments, values);
    write_values(*values_output, values);
    write_keys(*output, output_format, input.keys);
    values_output->commit();
    report.values_output = options.values_output;
  }
  report.conversion = input.keys.conversion;
  if (output) {
    if (options.values.empty()) write_keys(*output, output_format, input.keys);
    output->commit();
    report.output = destination;
  }
  print_report(report, options.common.json);
  return done;
}

int run(const SortOptions& options) {
  const std::string input = options.generate.empty() ? options.input.path : "--generate " + options.generate;
  return within_memory(input, [&] { return sort(options); });
}

}  // namespace
}  // namespace sort_command

void add_sort_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "sort", "Sort a file with the best known configuration",
                              sort_command::description, sort_command::footer);
  auto options = std::make_shared<sort_command::SortOptions>();
  add_input_options(command, options->input, false);
  add_record_options(command, options->records);
  add_text(command, "-o,--output", options->output, "Sorted keys (default: standard output)", "FILE");
  add_text(command, "--output-format", options->output_format,
           "Format of the output: npy, raw or text (default: by its name, else as the input)", "FORMAT");
  add_flag(command, "--descending", options->descending, "Largest first (default: smallest first)");
  add_text(command, "--rows", options->rows,
           "Sort each of R equal rows on its own; auto: the rows of a .npy array or the lines of a text; 1: "
           "all as one "
           "array",
           "R");
  add_segment_options(command, options->segments);
  add_text(
      command, "--values", options->values,
      "Values that travel with the keys: a .npy array of any dtype of 1, 2, 4, 8 or 16 bytes, or raw bytes",
      "FILE");
  add_text(command, "--values-out", options->values_output, "Where the values go, in the order of their keys",
           "FILE");
  add_flag(command, "--verify", options->verify,
           "Check the result on the host: in order, and bit for bit the keys that were given");
  add_text(
      command, "--generate", options->generate,
      "Instead of INPUT, keys of a distribution (" + distribution_list() + ") and number, as in random:2^20",
      "NAME:SIZE");
  add_number(command, "--seed", options->seed, "Seed of generated keys", "N");
  add_call_options(command, options->common, options->devices);
  refuse_with(command, "--devices", "--key");
  on_parsed(command, action_setter(action, options, sort_command::run));
}

}  // namespace bitune::cli
