#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_input.hpp"
#include "cli/device_ranks.hpp"
#include "cli/host_call.hpp"
#include "cli/record_keys.hpp"
#include "cli/segments_input.hpp"
#include "cli/sort_input.hpp"
#include "cli/sort_report.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {
namespace argsort_command {
namespace {

constexpr const char* description =
    "Writes where the keys of a file would come from if they were sorted: keys taken by these indices are in "
    "order. The file stays as it is. Equal keys keep their order, with --descending too. All NaNs are equal "
    "keys, and last, or first with --descending; -0 is before +0. INPUT is a .npy array, raw "
    "binary keys, text, or - for standard input; with --key, records of a structured .npy array or CSV.";

constexpr const char* footer = BITUNE_FORMAT_RULES
    "\n"
    "Indices are u32, which is enough for 2^32 keys, or u64. Those of CSV count the lines behind the header, "
    "from\n"
    "0 on.\n"
    "\n"
    "Examples:\n"
    "  bitune argsort keys.npy -o order.npy\n"
    "  bitune argsort keys.npy -o order.npy --descending --verify\n"
    "  bitune argsort keys.bin --type f32 --index u64 -o order.bin\n"
    "  printf '30\\n10\\n20\\n' | bitune argsort -      1, 2, 0\n"
    "  bitune argsort scores.npy --rows auto -o order.npy      each row on its own\n"
    "  bitune argsort keys.npy --offsets offsets.npy -o order.npy      each segment on its own, from 0 on in "
    "each\n"
    "  bitune argsort keys.npy --devices 0,1 -o order.npy      one array over two GPUs\n"
    "  bitune argsort records.npy --key price:desc,time -o order.npy\n"
    "\n"
    "In Python: numpy.load('keys.npy')[numpy.load('order.npy')] is sorted.";

struct ArgsortOptions {
  CommonOptions common;
  InputOptions input;
  RecordOptions records;
  std::string output;
  std::string output_format;
  std::string index;  ///< empty: u32; of several devices u64
  std::string rows;
  SegmentOptions segments;
  std::vector<std::string> devices;  ///< none: one device
  bool descending = false;
  bool verify = false;
};

SortSpec spec_of(const ArgsortOptions& options, const SortInput& input, KeyType index) {
  return {.operation = Operation::argsort,
          .key = input.keys.type,
          .index_bytes = static_cast<std::uint32_t>(size_of(index)),
          .order = options.descending ? Order::descending : Order::ascending,
          .stable = true};
}

/// Indices as many as the keys, in their shape, with room for none yet.
KeyArray indices_like(const SortInput& input, KeyType index) {
  KeyArray indices;
  indices.type = index;
  indices.shape = input.keys.shape;
  indices.separator = input.keys.separator;
  return indices;
}

CommandInput input_of(const ArgsortOptions& options, const InputRequest& request, KeyType index,
                      const OutputFile& output) {
  if (!options.devices.empty())
    return {options.common, read_input(request)};  // each takes its part of memory
  MappedResults results;
  results.possible = options.records.keys.empty() && options.segments.offsets.empty() &&
                     can_be_mapped(output, options.output, options.output_format);
  results.folder = folder_of(options.output);
  return {options.common, request, results, [&](SortInput& input) {
            const RowsOfKeys rows = row_shape_of(input, options.rows);
            return Problem{spec_of(options, input, index), {.n = rows.length, .rows = rows.count}};
          }};
}

/// Writes the indices to the output. Neither keys nor indices are in memory as a whole where the keys stay in
/// their file.
void write_order_of_keys(const ArgsortOptions& options, const InputRequest& request, KeyType index,
                         OutputFile& output, SortReport& report) {
  CommandInput from = input_of(options, request, index, output);
  SortInput& input = from.keys();
  const Format format = output_format_of(options.output_format, options.output, input.format);
  std::optional<SegmentInput> segments = read_segments(options.segments, input, request.limit);
  const RowsOfKeys rows = segments ? RowsOfKeys{1, input.keys.count()} : row_shape_of(input, options.rows);
  const std::uint64_t n = input.keys.count();
  const Problem problem{spec_of(options, input, index),
                        segments ? segments->shape : Shape{.n = rows.length, .rows = rows.count}};
  KeyArray indices = indices_like(input, index);
  std::span<std::byte> written;
  if (from.is_in_file()) {
    written = map_keys(output, format, indices, n * size_of(index));
  } else {
    indices.bytes.resize(n * size_of(index), segments ? std::byte{0xFF} : std::byte{0});
    written = indices.bytes;
  }
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<std::byte*>(input.keys.content().data()), n, rows.length};
  operands[Role::indices_out] = {written.data(), n, rows.length};
  if (segments) segments->add_to(operands);
  report = options.devices.empty()
               ? call_on_host(from.sorter(), problem, operands, options.verify)
               : call_over_devices(options.devices, options.common, problem, operands, options.verify);
  report.input = input.name;
  report.conversion = input.keys.conversion;
  if (!from.is_in_file()) write_keys(output, format, indices);
}

KeyArray order_of_records(const ArgsortOptions& options, const InputRequest& request, KeyType index,
                          Format& format, SortReport& report) {
  const auto records = read_records(request, options.records, format);
  const auto keys = parse_record_keys(options.records.keys, *records,
                                      options.descending ? Order::descending : Order::ascending);
  return order_of(*records, keys, options.common, index, request.type, options.verify, report);
}

int argsort(const ArgsortOptions& options) {
  const InputRequest request = request_of(options.input);
  check_record_options(options.records);
  require_named_database(options.common);
  if (!options.records.keys.empty() && !(options.rows.empty() && options.segments.offsets.empty())) {
    throw Error(ErrorCode::usage, "--key takes the records of a file: leave --rows and --offsets out");
  }
  if (!options.rows.empty() && !options.segments.offsets.empty()) {
    throw Error(ErrorCode::usage, "give --rows or --offsets, not both");
  }
  const KeyType index = index_type_of(options.index, options.devices);
  const std::string destination = options.output.empty() ? "-" : options.output;
  if (options.common.json && destination == "-") {
    throw Error(ErrorCode::usage, "--json needs -o FILE, as the document goes to standard output");
  }
  // Before any work, so that a name that is no good is noticed first.
  static_cast<void>(output_format_of(options.output_format, options.output, Format::text));
  OutputFile output(destination);
  SortReport report;
  if (options.records.keys.empty()) {
    write_order_of_keys(options, request, index, output, report);
  } else {
    Format format = Format::text;
    const KeyArray indices = order_of_records(options, request, index, format, report);
    write_keys(output, output_format_of(options.output_format, options.output, format), indices);
  }
  output.commit();
  report.output = destination;
  print_report(report, options.common.json);
  return done;
}

int run(const ArgsortOptions& options) {
  return within_memory(options.input.path, [&] { return argsort(options); });
}

}  // namespace
}  // namespace argsort_command

void add_argsort_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "argsort", "Write where the sorted keys of a file come from",
                              argsort_command::description, argsort_command::footer);
  auto options = std::make_shared<argsort_command::ArgsortOptions>();
  add_input_options(command, options->input, true);
  add_record_options(command, options->records);
  add_text(command, "-o,--output", options->output, "Indices (default: standard output)", "FILE");
  add_text(command, "--index", options->index,
           "Type of the indices: u32 or u64 (default: u32; of several devices u64)", "TYPE");
  add_text(command, "--output-format", options->output_format,
           "Format of the indices: npy, raw or text (default: by the output's name, else as INPUT)",
           "FORMAT");
  add_text(
      command, "--rows", options->rows,
      "Indices of each of R equal rows, from 0 on in each; auto: the rows of a .npy array or the lines of a "
      "text; 1: all as one array",
      "R");
  add_segment_options(command, options->segments);
  add_flag(command, "--descending", options->descending, "Largest first (default: smallest first)");
  add_flag(command, "--verify", options->verify,
           "Check the result on the host: each index once, keys in order, ties by index");
  add_call_options(command, options->common, options->devices);
  refuse_with(command, "--devices", "--key");
  on_parsed(command, action_setter(action, options, argsort_command::run));
}

}  // namespace bitune::cli
