#include "bench/bench.hpp"

#include <fmt/format.h>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/bench_presets.hpp"
#include "cli/bench_report.hpp"
#include "cli/bench_start.hpp"
#include "cli/command.hpp"
#include "cli/operations.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/terminal.hpp"
#include "measure/inputs.hpp"
#include "measure/json.hpp"
#include "measure/segments.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace bench_command {
namespace {

constexpr const char* description =
    "Measures how fast bitune sorts keys that are in device memory already, with the configuration that "
    "it selects by itself, and compares that with CUB, in turn and in one process: the suite 'single' "
    "sorts one array, against CUB's radix and merge sort; the suite 'rows' sorts many, each on its own, "
    "against CUB's segmented sorts; the suite 'segments' does so with arrays of many lengths. CUB takes "
    "part if nvcc was there when bitune was built. With --operation, values travel with the keys, or "
    "indices are made. CUB has no argsort: it sorts pairs with the indices as values, and writing those "
    "is part of its time. Both sides are verified, with all that travels; times are medians. With "
    "--graph, bitune's sort is also captured in a CUDA graph, and launches of that are timed. On a GPU, "
    "sorts below 50 us are also timed between kernels of others (column 'between'): in a row they overlap "
    "each other. `bench start` measures what the first sort of a process takes, `bench presets` published "
    "sorts.";

constexpr const char* footer =
    "Ratios above 1 mean that bitune is faster than the fastest of its peer's methods.\n"
    "\n"
    "Examples:\n"
    "  bitune bench\n"
    "  bitune bench --suite rows --sizes 16..65536,100 --keys u32,u16\n"
    "  bitune bench --suite rows --sizes 128,1024 --rows 1,8,128          how long small batches take\n"
    "  bitune bench --suite segments --sizes 16,100,1000 --lengths uniform,zipf   segments of such mean "
    "lengths\n"
    "  bitune bench --suite segments --lengths lengths.txt                lengths of your own, one a line\n"
    "  bitune bench --keys f32 --sizes 2^16..2^20 --out results.json\n"
    "  bitune bench --sizes 2^20 --distributions random,sorted,all_equal   whether the input matters\n"
    "  bitune bench --sizes 2^10..2^20 --graph                            also as a node of a CUDA graph\n"
    "  bitune bench --operation sort_pairs,argsort --sizes 2^10..2^24     values or indices with the keys\n"
    "  bitune bench --operation sort_pairs --keys u64 --value-bytes 4,8   of two widths\n"
    "  bitune bench --operation top_k --k 100 --sizes 2^20,2^24          the first 100, with their indices\n"
    "  bitune bench --sizes 2^24 --configuration 'radix(block_size_x=256,...)'   one of your own, whole\n"
    "  bitune bench --device emulated --against host --sizes 1000\n"
    "  BITUNE_PEER_DB=before.db bitune bench --against bitune --sizes 2^22   what tuning gained";

struct Options : BenchOptions {
  std::string suite = "single";
  std::string against;
  OperationOptions operation;
  std::vector<std::string> keys = {"u32", "f32"};
  std::string sizes;
  std::string rows;
  std::string total;
  std::vector<std::string> lengths;
  std::string order = "ascending";
  std::vector<std::string> distributions = {"random"};
  std::string configuration;
  bool graph = false;
};

BenchRequest request_of(const Options& options) {
  BenchRequest request;
  request.suite = parse_bench_suite(options.suite);
  if (request.suite == BenchSuite::single && !(options.rows.empty() && options.total.empty())) {
    throw Error(ErrorCode::usage, "--rows and --total need --suite rows, or segments");
  }
  if (!options.lengths.empty()) {
    if (request.suite != BenchSuite::segments) {
      throw Error(ErrorCode::usage, "--lengths need --suite segments");
    }
    request.lengths = options.lengths;
    for (const std::string& lengths : request.lengths) static_cast<void>(is_file_of_lengths(lengths));
  }
  if (!options.rows.empty() && !options.total.empty()) {
    throw Error(ErrorCode::usage, "give --rows or --total, not both");
  }
  if (!options.rows.empty()) {
    request.rows = parse_sizes(options.rows);
  }
  if (!options.total.empty()) {
    request.total = parse_size(options.total);
  }
  request.device = options.common.device;
  request.database = options.common.database;
  request.specs = sort_specs_of(options.operation, parse_key_types(options.keys), parse_order(options.order));
  if (!options.sizes.empty()) {
    request.sizes = parse_sizes(options.sizes);
  }
  request.distributions.clear();
  for (const std::string& name : options.distributions) {
    request.distributions.push_back(parse_distribution(name));
  }
  request.against = options.against;
  request.samples = options.samples;
  request.seed = options.seed;
  request.graph = options.graph;
  request.configuration = options.configuration;
  return request;
}

std::string ratio_text(const BenchRecord& record) {
  return record.ratio ? fmt::format("{:.2f}", *record.ratio) : "-";
}

std::string records_text(const std::vector<BenchRecord>& records) {
  Table table({operation_column(),
               {"type"},
               {"distribution"},
               {"n", Align::right},
               {.heading = "rows", .align = Align::right, .usual = "1"},
               {.heading = "lengths", .usual = "-"},
               {"bitune", Align::right},
               {.heading = "as graph", .align = Align::right, .usual = "-"},
               {.heading = "between", .align = Align::right, .usual = "-"},
               {"rate", Align::right},
               {.heading = "form", .usual = BenchRecord{}.form},
               {"peer", Align::right},
               {.heading = "method", .usual = "-"},
               {.heading = "rate", .align = Align::right, .usual = "-"},
               {"ratio", Align::right},
               {"match"},
               {"verified"},
               {"configuration", Align::left, 20}});
  for (const BenchRecord& record : records) {
    const Problem& problem = record.problem;
    const double keys = static_cast<double>(key_count(problem));
    table.add({operation_text(problem), std::string(name_of(problem.key)), record.distribution,
               size_text(problem.n), size_text(problem.rows), record.lengths.empty() ? "-" : record.lengths,
               microseconds_text(record.bitune_us), microseconds_text(record.graph_us),
               microseconds_text(record.between_us), rate_text(keys, record.bitune_us), record.form,
               microseconds_text(record.peer_us), record.peer_method.empty() ? "-" : record.peer_method,
               record.peer_us ? rate_text(keys, *record.peer_us) : "-", ratio_text(record), record.match,
               record.verified ? "yes" : "no", record.configuration});
  }
  return table.text(output_width());
}

int run(const Options& options) {
  const BenchRequest request = request_of(options);
  const StopOnSignal stop;
  ProgressLine line;
  const auto result = run_bench(
      request,
      [&line](const BenchProgress& progress) {
        if (!line.due()) return;
        line.show(fmt::format("bench {}  {}, {} keys{}",
                              ProgressLine::bar(progress.index + 1, progress.count),
                              text_of(progress.problem), bitune::name_of(progress.distribution),
                              progress.lengths.empty() ? "" : ", lengths " + progress.lengths));
      },
      stop.flag());
  line.clear();
  if (!options.output.empty()) {
    store_bench_records(options.output, result.records);
  }
  BenchReport report = report_of(result, bench_records_json(result.records), records_text(result.records));
  report.document["peer_path"] = result.peer_path;
  return print_report(report, options.common, stop);
}

}  // namespace
}  // namespace bench_command

void add_bench_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "bench", "Compare with other sorts", bench_command::description,
                              bench_command::footer);
  auto options = std::make_shared<bench_command::Options>();
  options->samples = BenchRequest{}.samples;
  add_text(command, "--suite", options->suite, "single, rows, or segments", "SUITE");
  add_text(command, "--against", options->against,
           "cub; host (the C++ library's, on the emulated device); bitune (another one: the database "
           "$BITUNE_PEER_DB, the library $BITUNE_PEER_LIBRARY); or none (default: cub on a GPU)",
           "PEER");
  add_operation_options(command, options->operation);
  add_list(command, "--keys", options->keys, "Key types, or all", "TYPE,...");
  add_text(
      command, "--sizes", options->sizes,
      "Keys an array, or on average a segment (default: 2^8..2^28, of rows 16..65536 and 100, of segments "
      "16 to 100000; less on the emulated device)",
      "SIZE,...");
  add_text(command, "--rows", options->rows, "Numbers of rows or segments, each with every size", "R,...");
  add_text(command, "--total", options->total,
           "Instead of --rows: as many rows as have so many keys in all (default: 2^26)", "SIZE");
  add_list(
      command, "--lengths", options->lengths,
      "With --suite segments: how long they are, of a mean m: uniform (0 to 2 m), zipf (most short, a few "
      "very long), few_long (99 % m/4, 1 % 75 m), equal, or a text file with a length a line (default: "
      "uniform)",
      "NAME,...");
  add_text(command, "--order", options->order, "ascending (asc) or descending (desc)", "ORDER");
  add_list(command, "--distributions", options->distributions,
           "What the keys look like: " + distribution_list() + ", but not special", "NAME,...");
  add_text(command, "--configuration", options->configuration,
           "Sort by this configuration, as 'bitune db best' writes it, instead of the one that is selected",
           "CONFIGURATION");
  add_flag(command, "--graph", options->graph,
           "Also time bitune's sort as a CUDA graph, which is launched again and again (needs a GPU)");
  add_bench_options(command, *options, "Samples a side and size", "problem");
  on_parsed(command, action_setter(action, options, bench_command::run));
  add_bench_presets_command(command, action);
  add_bench_start_command(command, action);
}

}  // namespace bitune::cli
