#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/command_input.hpp"
#include "cli/device_ranks.hpp"
#include "cli/host_call.hpp"
#include "cli/segments_input.hpp"
#include "cli/sort_input.hpp"
#include "cli/sort_report.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace topk_command {
namespace {

constexpr const char* description =
    "Writes the first keys of a file in order, and where they stand in it: the k smallest, or with --largest "
    "the k largest, of the whole array, of each row or of each segment. The file stays as it is. Of equal "
    "keys those that "
    "stand first are taken, in their order. All NaNs are equal keys, and larger than all numbers; -0 is "
    "before +0. INPUT is a .npy array, raw binary keys, text, or - for standard input.";

constexpr const char* footer = BITUNE_FORMAT_RULES
    "\n"
    "Keys go to -o, indices to --indices; with neither of them keys go to standard output. Indices are u32, "
    "which is\n"
    "enough for 2^32 keys, or u64. Those of rows count from 0 on in each row, and those of segments in each "
    "segment.\n"
    "What a segment of fewer than K keys lacks is filled: with the key that sorts last, and with indices of "
    "ones in all\nbits.\n"
    "\n"
    "Examples:\n"
    "  bitune topk scores.npy -k 100 --largest -o best.npy --indices where.npy\n"
    "  bitune topk distances.npy -k 8 --rows auto --indices nearest.npy    the nearest of each row\n"
    "  bitune topk keys.npy --offsets offsets.npy -k 10 -o first.npy       the first of each segment\n"
    "  bitune topk keys.bin --type f32 -k 1000 -o smallest.bin --verify\n"
    "  bitune topk scores.npy -k 100 --devices all --indices where.npy     one array over all GPUs\n"
    "  printf '30\\n10\\n20\\n' | bitune topk - -k 2 --largest                 30, 20\n"
    "\n"
    "In Python: bitune.top_k(numpy.load('scores.npy'), 100).";

struct TopkOptions {
  CommonOptions common;
  InputOptions input;
  std::string k;
  std::string output;
  std::string indices;
  std::string output_format;
  std::string index;  ///< empty: u32; of several devices u64
  std::string rows;
  SegmentOptions segments;
  std::vector<std::string> devices;  ///< none: one device
  bool largest = false;
  bool verify = false;
};

/// Where results go: "-" is standard output, empty nowhere.
struct Destinations {
  std::string keys;
  std::string indices;
};

Destinations destinations_of(const TopkOptions& options) {
  Destinations found{.keys = options.output, .indices = options.indices};
  if (found.keys.empty() && found.indices.empty()) found.keys = "-";
  if (!found.keys.empty() && !found.indices.empty() &&
      (found.keys == found.indices || is_one_file(found.indices, found.keys))) {
    throw Error(ErrorCode::usage, "-o and --indices name one file: each needs one of its own");
  }
  if (options.common.json && (found.keys == "-" || found.indices == "-")) {
    throw Error(ErrorCode::usage,
                "--json needs -o FILE or --indices FILE, as the document goes to standard output");
  }
  return found;
}

/// An array of the first k of each row, in the shape of the input but for its last dimension.
KeyArray results_of(const SortInput& input, const RowsOfKeys& rows, std::uint64_t k, KeyType type) {
  KeyArray array = make_list(type, std::vector<std::byte>(rows.count * k * size_of(type)));
  array.separator = input.keys.separator;
  if (rows.count != 1) array.shape = input.keys.shape;
  if (rows.count != 1 && array.shape.back() == rows.length) {
    array.shape.back() = k;
  } else {
    array.shape = rows.count == 1 ? std::vector{k} : std::vector{rows.count, k};
  }
  return array;
}

/// Rows of k, one for each segment.
KeyArray results_of_segments(const SortInput& input, const Shape& segments, std::uint64_t k, KeyType type) {
  KeyArray array = make_list(type, std::vector<std::byte>(segments.rows * k * size_of(type)));
  array.separator = input.keys.separator;
  array.shape = {segments.rows, k};
  return array;
}

/// Writes an array where it goes, if anywhere: kept only once all results are written.
void write_to(std::optional<OutputFile>& output, const std::string& destination, const TopkOptions& options,
              Format format, const KeyArray& array) {
  if (destination.empty()) return;
  output.emplace(destination);
  write_keys(*output, output_format_of(options.output_format, destination, format), array);
}

/// \throws Error (usage) if k is none of these rows
Problem problem_of(const TopkOptions& options, const Destinations& to, const SortInput& input,
                   const Shape& shape) {
  const auto index_bytes = static_cast<std::uint32_t>(size_of(index_type_of(options.index, options.devices)));
  const Problem problem{{.operation = Operation::top_k,
                         .key = input.keys.type,
                         .index_bytes = to.indices.empty() ? 0 : index_bytes,
                         .order = options.largest ? Order::descending : Order::ascending,
                         .k = parse_size(options.k)},
                        shape};
  if (!has_fitting_k(problem)) {
    if (shape.ragged) throw Error(ErrorCode::usage, "-k is how many keys of each segment: from 1 on");
    throw Error(ErrorCode::usage, fmt::format("-k {} is not from 1 to the {} keys of {} in '{}'", problem.k,
                                              shape.n, shape.rows == 1 ? "the array" : "a row", input.name));
  }
  return problem;
}

int topk(const TopkOptions& options) {
  const InputRequest request = request_of(options.input);
  require_named_database(options.common);
  if (options.k.empty())
    throw Error(ErrorCode::usage, "-k K is needed: how many keys of the array, or of each row");
  static_cast<void>(parse_size(options.k));
  const KeyType index = index_type_of(options.index, options.devices);
  const Destinations to = destinations_of(options);
  // Before any work, so that a name that is no good is noticed first.
  for (const std::string& destination : {to.keys, to.indices}) {
    static_cast<void>(output_format_of(options.output_format, destination, Format::text));
  }
  const bool has_segments = !options.segments.offsets.empty();
  if (has_segments && !options.rows.empty()) {
    throw Error(ErrorCode::usage, "--offsets say where the segments of a file lie: leave --rows out");
  }
  // Results are small, whatever the file is: they need no file for themselves. Segments are read.
  CommandInput from =
      has_segments || !options.devices.empty()
          ? CommandInput(options.common, read_input(request))
          : CommandInput(options.common, request, {.possible = true, .folder = {}}, [&](SortInput& input) {
              const RowsOfKeys rows = row_shape_of(input, options.rows);
              return problem_of(options, to, input, {.n = rows.length, .rows = rows.count});
            });
  SortInput& input = from.keys();
  std::optional<SegmentInput> segments = read_segments(options.segments, input, request.limit);
  const RowsOfKeys rows =
      segments ? RowsOfKeys{segments->shape.rows, segments->shape.n} : row_shape_of(input, options.rows);
  const Problem problem = problem_of(
      options, to, input, segments ? segments->shape : Shape{.n = rows.length, .rows = rows.count});
  const std::uint64_t k = problem.k;
  std::uint64_t results = 0;
  if (__builtin_mul_overflow(rows.count, k, &results) || results > std::uint64_t{1} << 56) {
    throw Error(ErrorCode::usage,
                fmt::format("-k {} of {} segments are more than any memory holds", k, rows.count));
  }
  const auto results_as = [&](KeyType type) {
    return segments ? results_of_segments(input, segments->shape, k, type) : results_of(input, rows, k, type);
  };
  KeyArray keys = results_as(input.keys.type);
  KeyArray indices = results_as(index);
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<std::byte*>(input.keys.content().data()), input.keys.count(),
                             rows.length};
  if (!to.keys.empty()) operands[Role::keys_out] = {keys.bytes.data(), keys.count(), k};
  if (!to.indices.empty()) operands[Role::indices_out] = {indices.bytes.data(), indices.count(), k};
  if (segments) segments->add_to(operands);
  SortReport report = options.devices.empty() ? call_on_host(from.sorter(), problem, operands, options.verify)
                                              : call_over_devices(options.devices, options.common, problem,
                                                                  operands, options.verify);
  report.input = input.name;
  report.conversion = input.keys.conversion;
  std::optional<OutputFile> keys_file;
  std::optional<OutputFile> indices_file;
  write_to(keys_file, to.keys, options, input.format, keys);
  write_to(indices_file, to.indices, options, input.format, indices);
  if (keys_file) keys_file->commit();
  if (indices_file) indices_file->commit();
  report.output = to.keys;
  report.indices_output = to.indices;
  print_report(report, options.common.json);
  return done;
}

int run(const TopkOptions& options) {
  return within_memory(options.input.path, [&] { return topk(options); });
}

}  // namespace
}  // namespace topk_command

void add_topk_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "topk", "Write the first keys of a file, and where they stand",
                              topk_command::description, topk_command::footer);
  auto options = std::make_shared<topk_command::TopkOptions>();
  add_input_options(command, options->input, true);
  add_text(command, "-k", options->k, "How many keys of the array, or of each row (needed)", "K");
  add_text(command, "-o,--output", options->output,
           "The keys (default: standard output, if --indices is not given)", "FILE");
  add_text(command, "--indices", options->indices, "Where the keys stand, from 0 on", "FILE");
  add_text(command, "--index", options->index,
           "Type of the indices: u32 or u64 (default: u32; of several devices u64)", "TYPE");
  add_text(command, "--output-format", options->output_format,
           "Format of both: npy, raw or text (default: by the output's name, else as INPUT)", "FORMAT");
  add_text(command, "--rows", options->rows,
           "The first of each of R equal rows; auto: the rows of a .npy array or the lines of a text; 1: all "
           "as one array",
           "R");
  add_segment_options(command, options->segments);
  add_flag(command, "--largest", options->largest,
           "The largest, in descending order (default: the smallest)");
  add_flag(command, "--verify", options->verify,
           "Check the result on the host: the first keys, ties by index");
  add_call_options(command, options->common, options->devices);
  on_parsed(command, action_setter(action, options, topk_command::run));
}

}  // namespace bitune::cli
