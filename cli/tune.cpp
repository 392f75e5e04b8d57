#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/durations.hpp"
#include "cli/operations.hpp"
#include "cli/searched_variants.hpp"
#include "cli/simulate.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_report.hpp"
#include "measure/inputs.hpp"
#include "measure/segments.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tuner/strategy.hpp"
#include "tuner/whole_session.hpp"

namespace bitune::cli {
namespace tune_command {
namespace {

constexpr const char* description =
    "Searches for the fastest way to sort each problem (operation x key type x size) on this device. Every "
    "configuration is compiled, verified against a reference and measured; every trial, failures too, is "
    "stored in the tuning database at once, where `bitune sort` and the library find the best. What the "
    "database already has is not measured again, so a session that was stopped goes on when the same "
    "command is given again.";

constexpr const char* footer =
    "Sizes are single numbers, powers (2^20, 64K, 16M) and ranges (2^10..2^26: every power of two;\n"
    "2^10..2^26:2: every second one), separated by commas. Segments of like number and mean length share\n"
    "what is found: both count by octaves, however the lengths differ from call to call. Ctrl-C ends the\n"
    "session after the evaluation under way (exit code 130); a second Ctrl-C ends it at once. What was\n"
    "measured stays stored in both cases.\n"
    "\n"
    "Examples:\n"
    "  bitune tune                                              u32 and f32, 2^10 to 2^26 keys, 80 seconds\n"
    "  bitune tune --keys u32,f32,u64 --sizes 2^10..2^26 --budget 30m\n"
    "  bitune tune --keys u32 --sizes 2^20 --budget 60s,200evals  whichever is spent first\n"
    "  bitune tune --keys u32 --sizes 16..4096 --total 2^26     rows, as many as make 2^26 keys in all\n"
    "  bitune tune --operation sort_pairs,argsort               with 4-byte values, and indices\n"
    "  bitune tune --operation top_k --k 8,64 --sizes 4096 --rows 1024   the first k of each row\n"
    "  bitune tune --lengths zipf --sizes 16,100,1000 --total 2^24   segments of such mean lengths\n"
    "  bitune tune --lengths lengths.txt                        segments of your own lengths, one a line\n"
    "  bitune tune --operation sort_pairs --value-bytes 8,16 --keys u64 --sizes 2^20\n"
    "  bitune tune --keys u32 --sizes 2^20 --start 'radix(...)'  one of your own first\n"
    "  bitune tune --devices 0,1,2,3 --sizes 2^10..2^26         four GPUs at once, one database\n"
    "  bitune tune --device emulated --keys u32 --sizes 1000 --budget 20evals\n"
    "  bitune tune --simulate tuning.db --strategy all --seeds 100 --budget none\n"
    "  bitune tune --variants warp,shared --strategy exhaustive --budget none --json > session.json";

struct TuneOptions {
  CommonOptions common;
  std::vector<std::string> simulated;  ///< files; empty: a device
  int seeds = 1;
  int at_once = 1;
  std::vector<std::string> devices;
  std::vector<std::string> keys = {"u32", "f32"};
  OperationOptions operation;
  std::string sizes;
  std::string rows;
  std::string total;
  std::string lengths;
  std::string order = "ascending";
  std::vector<std::string> variants = {"all"};
  std::string strategy = std::string(default_strategy);
  std::uint64_t seed = 1;
  std::string budget = "80s";
  std::string timeout;  ///< empty: the default
  bool resume = true;
  std::vector<std::string> starts;
  bool warm_start = true;
  bool incumbents = true;
  int finalists = 4;
  bool cold_l2 = false;
  int samples = Protocol{}.max_samples;
  std::string precision = "1%";
  std::string distribution = Protocol{}.distribution;
  int inputs = Protocol{}.inputs;
  bool isolate = true;
  bool list = false;
};

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const StrategyEntry& entry : strategies()) {
    names.push_back(entry.name);
  }
  return names;
}

constexpr double default_timeout = 30;  // seconds
constexpr const char* gpu_sizes = "2^10..2^26";
constexpr const char* emulated_sizes = "2^8..2^12:2";

/// What nobody could ever sort there is refused at once, not after minutes of making keys.
void require_room(const Problem& problem, const DeviceInfo& device) {
  const std::uint64_t needed = 2 * key_bytes(problem);  // of the input, and of what is sorted
  if (device.memory_bytes <= 0 || needed <= static_cast<std::uint64_t>(device.memory_bytes)) return;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' needs {:.0f} GiB of memory at least, and {} has {:.0f}; give a smaller size",
                          text_of(problem), static_cast<double>(needed) / (1 << 30), device.name,
                          static_cast<double>(device.memory_bytes) / (1 << 30)));
}

/// Arrays, rows or segments of all sizes; or segments as a file says.
std::vector<Shape> shapes_of(const TuneOptions& options, const DeviceInfo& device) {
  const bool is_ragged = !options.lengths.empty();
  if (!options.rows.empty() && !options.total.empty()) {
    throw Error(ErrorCode::usage, "give --rows or --total, not both");
  }
  if (is_ragged && is_file_of_lengths(options.lengths)) {
    if (!(options.sizes.empty() && options.rows.empty() && options.total.empty())) {
      throw Error(ErrorCode::usage,
                  "a file of lengths says how many there are, and of how many keys: leave "
                  "--sizes, --rows and --total out");
    }
    return {shape_of_lengths(read_lengths(options.lengths))};
  }
  if (is_ragged && options.rows.empty() && options.total.empty()) {
    throw Error(ErrorCode::usage,
                "--lengths needs --rows, how many segments there are, or --total, how many "
                "keys they have in all");
  }
  const std::uint64_t given_rows = options.rows.empty() ? 1 : parse_size(options.rows);
  if (given_rows == 0) throw Error(ErrorCode::usage, "--rows must be 1 or more");
  const std::string sizes = !options.sizes.empty()  ? options.sizes
                            : device.kind == "cuda" ? gpu_sizes
                                                    : emulated_sizes;
  std::vector<Shape> shapes;
  for (const std::uint64_t n : parse_sizes(sizes)) {
    const std::uint64_t rows =
        options.total.empty() ? given_rows : rows_in_total(parse_size(options.total), n);
    const std::uint64_t keys = key_count({{}, {.n = n, .rows = rows}});
    shapes.push_back({.n = is_ragged ? keys : n, .rows = rows, .ragged = is_ragged});
  }
  return shapes;
}

std::vector<Problem> problems_of(const TuneOptions& options, const DeviceInfo& device) {
  const std::vector<SortSpec> specs =
      sort_specs_of(options.operation, parse_key_types(options.keys), parse_order(options.order));
  const std::vector<Shape> shapes = shapes_of(options, device);
  std::vector<Problem> problems;
  for (const SortSpec& spec : specs) {
    for (const Shape& shape : shapes) {
      const Problem problem{spec, shape};
      if (!has_fitting_k(problem)) continue;
      require_room(problem, device);
      static_cast<void>(default_selection(problem, device));  // throws if no variant can do it
      problems.push_back(problem);
    }
  }
  if (problems.empty())
    throw Error(ErrorCode::usage, "no array has k keys: give larger --sizes, or a smaller --k");
  return problems;
}

/// As trials are stored with them: files by their whole path, as workers read them, too.
std::string lengths_of(const TuneOptions& options) {
  if (options.lengths.empty() || !is_file_of_lengths(options.lengths)) return options.lengths;
  std::string path = std::filesystem::absolute(options.lengths).lexically_normal().string();
  if (path.find_first_of(" \t\n") != std::string::npos) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' has a blank: give a file of lengths whose path has none", path));
  }
  return path;
}

/// Checks all options before any device is opened.
TuneRequest request_of(const TuneOptions& options) {
  TuneRequest request;
  if (options.variants != std::vector<std::string>{"all"}) {
    for (const std::string& name : options.variants) {
      request.variants.emplace_back(variant(name).name());
    }
  }
  request.strategy = strategy(options.strategy).name;
  request.seed = options.seed;
  request.protocol.distribution = bitune::name_of(parse_distribution(options.distribution));
  request.protocol.lengths = lengths_of(options);
  request.protocol.cold_l2 = options.cold_l2;
  request.protocol.inputs = options.inputs;
  request.protocol.max_samples = options.samples;
  request.protocol.min_samples = std::min(request.protocol.min_samples, options.samples);
  request.protocol.precision = parse_precision(options.precision);
  const Budget budget = parse_budget(options.budget);
  request.budget_seconds = budget.seconds;
  request.budget_evaluations = budget.evaluations;
  request.resume = options.resume;
  request.warm_start = options.warm_start;
  request.incumbents = options.incumbents;
  request.finalists = options.finalists;
  return request;
}

/// The devices to tune, each with what it is called by. \throws Error (usage) for a GPU that is named twice
std::vector<std::shared_ptr<Device>> devices_of(const TuneOptions& options) {
  if (options.devices.empty()) {
    std::string reason;
    auto device = open_device(options.common.device, &reason);
    if (device->info().kind != "cuda" && !reason.empty()) print_remark(reason);
    return {std::move(device)};
  }
  if (options.common.device != CommonOptions{}.device) {
    throw Error(ErrorCode::usage, "give --device or --devices, not both");
  }
  return bitune::open_devices(options.devices, "--devices");
}

int run(const TuneOptions& options) {
  if (!options.simulated.empty()) {
    return simulate({.files = options.simulated,
                     .strategies = {options.strategy},
                     .budget = parse_budget(options.budget),
                     .seed = options.seed,
                     .seeds = options.seeds,
                     .at_once = options.at_once,
                     .json = options.common.json});
  }
  TuneRequest request = request_of(options);
  const DevicesOptions session{
      .database = database_path(options.common),
      .kernel_cache = KernelCache::default_directory(),
      // This very program even if its file was replaced meanwhile.
      .worker_program = options.isolate ? "/proc/self/exe" : "",
      .timeout_seconds = options.timeout.empty() ? default_timeout : parse_duration(options.timeout),
      .timeout_for_all = !options.timeout.empty()};
  const StopOnSignal stop;
  const std::vector<std::shared_ptr<Device>> devices = devices_of(options);
  request.problems = problems_of(options, devices.front()->info());
  if (options.list) {
    list_searched(request, devices.front()->info());
    return done;
  }
  remark_on_variants(request, devices.front()->info());
  request.starts = parse_starts(options.starts, request, devices.front()->info());

  TuneDisplay display(devices.size());
  const auto [results, outcomes, summary] =
      run_session(std::move(request), devices, session, stop.flag(),
                  [&display](const DevicesProgress& progress) { display.show(progress); });
  display.clear();
  print(options.common.json ? tune_json(outcomes, summary) : tune_text(outcomes, summary));
  if (summary.interrupted) {
    print_remark("stopped; what was measured is stored, and the same command goes on from there");
    return 128 + stop.signal();
  }
  if (const auto failure = failure_of(results, outcomes)) throw Error(ErrorCode::device, *failure);
  return done;
}

}  // namespace
}  // namespace tune_command

void add_tune_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "tune", "Search for the best configurations on this device",
                              tune_command::description, tune_command::footer);
  auto options = std::make_shared<tune_command::TuneOptions>();
  add_device_option(command, options->common);
  add_list(command, "--devices", options->devices,
           "Instead of --device: several at once, which share the problems out (0,1,2,3; UUIDs)",
           "DEVICE,...");
  add_list(command, "--keys", options->keys, "Key types, or all", "TYPE,...");
  add_operation_options(command, options->operation);
  add_text(command, "--sizes", options->sizes,
           fmt::format("Keys an array, or on average a segment (default: {}; on the emulated device {})",
                       tune_command::gpu_sizes, tune_command::emulated_sizes),
           "SIZE,...");
  add_text(command, "--rows", options->rows,
           "Arrays sorted side by side, each of that size (default: 1), or segments", "R");
  add_text(command, "--total", options->total,
           "Instead of --rows: as many arrays or segments of each size as have so many keys in all", "SIZE");
  add_text(command, "--lengths", options->lengths,
           "Segments of any lengths instead of rows of one, with a mean m: uniform (0 to 2 m), zipf (most "
           "short, a few very long), few_long (99 % m/4, 1 % 75 m), equal, mixed (the first three: what is "
           "found serves any lengths), or a text file with a length a line, which needs no sizes",
           "NAME");
  add_text(command, "--order", options->order, "ascending (asc) or descending (desc)", "ORDER");
  add_list(command, "--variants", options->variants, "Families of kernels to search, or all", "NAME,...");
  add_text(command, "--strategy", options->strategy,
           fmt::format("How the next configuration is chosen: {}",
                       fmt::join(tune_command::strategy_names(), ", ")),
           "NAME");
  add_number(command, "--seed", options->seed, "Seed of the strategy", "N");
  add_text(command, "--budget", options->budget,
           "For the session: a duration (60s, 5m, 1h), a number of evaluations (200evals), both with a comma "
           "between, or none",
           "BUDGET");
  add_text(
      command, "--timeout", options->timeout,
      "For one configuration to run, and for compiling it and making its keys; what takes longer is cut off "
      "(default: 30s to run, minutes for the rest)",
      "DURATION");
  add_flag(command, "--resume,!--no-resume", options->resume,
           "Skip what the database already has (default: on)");
  add_texts(command, "--start", options->starts,
            "Try this configuration early, for the problems that it fits, as 'bitune db best' writes it (may "
            "be given again)",
            "CONFIGURATION");
  add_flag(command, "--warm-start,!--no-warm-start", options->warm_start,
           "Begin with what won at near sizes and on near devices (default: on)");
  add_flag(
      command, "--incumbents,!--no-incumbents", options->incumbents,
      "Measure what is selected today first, of whatever variant, so that nobody sorts slower for having "
      "tuned (default: on)");
  add_number(command, "--finalists", options->finalists, "The best few are measured again, in turn", "N", 0,
             1000);
  add_flag(command, "--cold-l2", options->cold_l2, "Flush the L2 cache before each sample (default: off)");
  add_number(command, "--samples", options->samples,
             "Most samples of one configuration (the time cap is 100 ms of the device)", "N", 1, 100000);
  add_text(command, "--precision", options->precision,
           "Stop sampling once the bootstrap interval of the median is within this part of it; or none",
           "PERCENT");
  add_text(command, "--distribution", options->distribution, "Keys that are sorted: " + distribution_list(),
           "NAME");
  add_number(command, "--inputs", options->inputs,
             "Arrays of different keys that samples take turns with, where a quarter of the L2 holds them",
             "N", 1, 1000);
  add_list(command, "--simulate", options->simulated,
           "Search what these files have on record (tuning databases, caches, T4; gzip), without a device: "
           "reports evaluations and virtual time, and stores nothing",
           "FILE,...");
  add_number(command, "--seeds", options->seeds, "With --simulate: as many seeds, from --seed on", "N", 1,
             100000);
  add_number(command, "--at-once", options->at_once,
             "With --simulate: proposals made at once, as sessions do to keep their compile workers busy",
             "N", 1, 10000);
  add_flag(command, "--isolate,!--no-isolate", options->isolate,
           "Evaluate in a worker process, so that a hang or a crash costs one trial (default: on)");
  add_flag(command, "--list", options->list,
           "Say which variants can do which of the problems, and measure nothing");
  add_database_option(command, options->common);
  add_json_option(command, options->common);
  refuse_with(command, "--list", "--json");
  for (const char* option : {"--seeds", "--at-once"}) require_with(command, option, "--simulate");
  // What is on record has its own devices, problems and times.
  for (const char* option : {"--device", "--devices", "--keys", "--sizes", "--rows", "--total", "--order",
                             "--lengths", "--variants", "--timeout", "--finalists", "--cold-l2", "--samples",
                             "--precision", "--distribution", "--inputs", "--start", "--db"}) {
    refuse_with(command, "--simulate", option);
  }
  on_parsed(command, action_setter(action, options, tune_command::run));
}

}  // namespace bitune::cli
