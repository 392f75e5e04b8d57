#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <system_error>

#include "bitune/bitune.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_input.hpp"
#include "cli/device_ranks.hpp"
#include "cli/sort_calls.hpp"
#include "measure/inputs.hpp"

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
