#include "cli/bench_start.hpp"
#include "bench/start.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/bench_report.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace bench_start_command {
namespace {

constexpr const char* description =
    "Measures what the first sort of a process takes. For each size several fresh processes of bitune run "
    "one after the other; each starts CUDA as any program does, puts an array into device memory, and "
    "then has bitune sort it: the tuning databases are read, a configuration is selected, its kernels are "
    "taken from the kernel cache (which a first process, not measured, has filled), loaded and launched. "
    "Then it sorts the array once more. All results are verified; times are medians, by the host's clock.";

constexpr const char* footer =
    "Columns:\n"
    "  start    CUDA's own: driver, cuInit, primary context, an allocation (the emulated device has none)\n"
    "  first    the first sort, until it is done: what a program waits for beyond CUDA's own start\n"
    "  second   the same sort again, which only launches\n"
    "  beyond   first less second: opening, reading, selecting and loading\n"
    "  kernels  where they came from; a process that had to compile some is not counted\n"
    "\n"
    "Examples:\n"
    "  bitune bench start\n"
    "  bitune bench start --keys u32,f32 --sizes 2^10..2^24:2 --samples 9\n"
    "  bitune bench start --sizes 2^20 --out single.json     beside the records of `bitune bench`\n"
    "  bitune bench start --device emulated --sizes 1000";

struct Options : BenchOptions {
  std::vector<std::string> keys = {"u32"};
  std::string sizes;
  std::string order = "ascending";
};

StartBenchRequest request_of(const Options& options) {
  StartBenchRequest request;
  request.device = options.common.device;
  request.database = options.common.database;
  request.keys = parse_key_types(options.keys);
  if (!options.sizes.empty()) request.sizes = parse_sizes(options.sizes);
  request.order = parse_order(options.order);
  request.samples = options.samples;
  request.seed = options.seed;
  return request;
}

std::string kernels_text(const BenchRecord& record) {
  if (record.start->compiled == 0) return "from cache";
  return fmt::format("from cache in {} of {}", record.samples, record.samples + record.start->compiled);
}

std::string table_text(const std::vector<BenchRecord>& records) {
  Table table({{"type"},
               {"n", Align::right},
               {"start", Align::right},
               {"first", Align::right},
               {"second", Align::right},
               {"beyond", Align::right},
               {"kernels"},
               {"match"},
               {"verified"},
               {"configuration", Align::left, 20}});
  for (const BenchRecord& record : records) {
    const StartTimes& times = *record.start;
    table.add({std::string(name_of(record.problem.key)), size_text(record.problem.n),
               microseconds_text(times.cuda_start_us), microseconds_text(times.first_us),
               microseconds_text(times.second_us), microseconds_text(times.first_us - times.second_us),
               kernels_text(record), record.match, record.verified ? "yes" : "no", record.configuration});
  }
  return table.text(output_width());
}

int run(const Options& options) {
  const StartBenchRequest request = request_of(options);
  const StopOnSignal stop;
  ProgressLine line;
  const StartBenchResult result = run_start_bench(
      request,
      [&line](const StartBenchProgress& now) {
        if (!line.due()) return;
        line.show(
            fmt::format("start {}  {}", ProgressLine::bar(now.index + 1, now.count), text_of(now.problem)));
      },
      stop.flag());
  line.clear();
  if (!options.output.empty()) store_bench_records(options.output, result.records);
  return print_report(report_of(result, bench_records_json(result.records), table_text(result.records)),
                      options.common, stop);
}

struct ProcessOptions {
  std::string device;
  std::string database;
  std::string kernel_cache;
  std::string key;
  std::string size;
  std::string order;
  std::uint64_t seed = 1;
};

int run_process(const ProcessOptions& options) {
  return run_start_process(
      {.device = options.device,
       .database = options.database,
       .kernel_cache = options.kernel_cache,
       .problem = {{.key = parse_key_type(options.key), .order = parse_order(options.order)},
                   {.n = parse_size(options.size)}},
       .seed = options.seed});
}

void add_process_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "start-process", "Measure the first sort of this process",
                              "Sorts one array twice and prints what that took as a line of JSON. `bitune "
                              "bench start` starts it; there is no need to do so by hand.",
                              "");
  hide(command);
  auto options = std::make_shared<ProcessOptions>();
  add_argument(command, "--device", options->device, "UUID of a GPU, or emulated", true);
  add_argument(command, "--key", options->key, "Key type", true);
  add_argument(command, "--size", options->size, "Keys", true);
  add_argument(command, "--order", options->order, "ascending or descending", true);
  add_argument(command, "--db", options->database, "Tuning database", false);
  add_argument(command, "--cache", options->kernel_cache, "Folder of compiled kernels", false);
  add_number(command, "--seed", options->seed, "Seed of the keys", "N");
  on_parsed(command, action_setter(action, options, run_process));
}

}  // namespace
}  // namespace bench_start_command

void add_bench_start_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "start", "Measure the first sort of a process",
                              bench_start_command::description, bench_start_command::footer);
  auto options = std::make_shared<bench_start_command::Options>();
  options->samples = StartBenchRequest{}.samples;
  add_list(command, "--keys", options->keys, "Key types, or all", "TYPE,...");
  add_text(command, "--sizes", options->sizes,
           "Keys an array (default: 2^10, 2^16, 2^20 and 2^24; on the emulated device 2^10)", "SIZE,...");
  add_text(command, "--order", options->order, "ascending (asc) or descending (desc)", "ORDER");
  add_bench_options(command, *options, "Processes a key type and size, besides the one that is not measured",
                    "problem");
  on_parsed(command, action_setter(action, options, bench_start_command::run));
  bench_start_command::add_process_command(parent, action);
}

}  // namespace bitune::cli
