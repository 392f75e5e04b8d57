#include "cli/bench_presets.hpp"
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <fstream>

#include "bench/preset_plans.hpp"
#include "bench/presets.hpp"
#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "cli/bench_report.hpp"
#include "cli/plots.hpp"
#include "cli/progress_line.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/terminal.hpp"
#include "measure/json.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace bench_presets_command {
namespace {

constexpr const char* description =
    "Measures published GPU bitonic sorts, each of which is a named configuration, on arrays in host "
    "memory: the copy to the device, the kernels one by one, the copy back. Beside them stand the host's "
    "qsort and std::sort (up to 2^27 keys), CUB's radix sort with page-locked memory, and what bitune "
    "selects by itself (the preset 'bitune'). All results are verified; times are medians.";

constexpr const char* footer =
    "Ratios above 1 mean that the preset is faster than CUB, transfers included.\n"
    "\n"
    "Examples:\n"
    "  bitune bench presets --list\n"
    "  bitune bench presets --sizes 2^20..2^24 --out presets.json --markdown presets.md --plots plots\n"
    "  bitune bench presets --device emulated --sizes 1000 --presets v0,v3";

struct Options : BenchOptions {
  std::vector<std::string> keys = {"u32"};
  std::string sizes;
  std::vector<std::string> presets;
  std::string against;
  std::string markdown;
  std::string plots;
  bool list = false;
};

PresetBenchRequest request_of(const Options& options) {
  PresetBenchRequest request;
  request.device = options.common.device;
  request.database = database_path(options.common);
  request.kernel_cache = KernelCache::default_directory();
  request.keys = parse_key_types(options.keys);
  for (const KeyType key : request.keys) {
    if (key != KeyType::u32 && key != KeyType::i32) {
      throw Error(ErrorCode::usage,
                  fmt::format("the presets are compared on u32 and i32, as their publications did, not "
                              "on {}",
                              name_of(key)));
    }
  }
  if (!options.sizes.empty()) request.sizes = parse_sizes(options.sizes);
  request.presets = options.presets;
  request.against = options.against;
  request.samples = options.samples;
  request.seed = options.seed;
  return request;
}

int list(const Options& options) {
  if (options.common.json) {
    Json all = Json::array();
    for (const Preset& preset : presets()) {
      all.push_back({{"name", preset.name},
                     {"description", preset.description},
                     {"source", preset.source},
                     {"remark", preset.remark},
                     {"configuration", preset.configuration.text()},
                     {"most_keys", preset.most_keys == 0 ? Json(nullptr) : Json(preset.most_keys)},
                     {"host_memory", preset.pinned ? "pinned" : "pageable"}});
    }
    print_json(all);
    return done;
  }
  for (const Preset& preset : presets()) {
    std::string text = fmt::format("{}: {}.", preset.name, preset.description);
    if (preset.most_keys > 0) text += fmt::format(" At most {} keys.", preset.most_keys);
    text += fmt::format(" Source: {}.", preset.source);
    if (!preset.remark.empty()) text += fmt::format(" Differs: {}.", preset.remark);
    print(wrapped(text, output_width()) + "\n  " + preset.configuration.text() + '\n');
  }
  return done;
}

std::string table_text(const std::vector<PresetRecord>& records) {
  Table table({{"preset"},
               {"n", Align::right},
               {"total", Align::right},
               {"to device", Align::right},
               {"kernels", Align::right},
               {"to host", Align::right},
               {"launches", Align::right},
               {"rate", Align::right},
               {"ns/key", Align::right},
               {"cub", Align::right},
               {"ratio", Align::right},
               {"qsort", Align::right},
               {"std::sort", Align::right},
               {"verified"}});
  for (const PresetRecord& record : records) {
    const auto n = static_cast<double>(record.n);
    table.add({record.preset, size_text(record.n), microseconds_text(record.total_us),
               microseconds_text(record.h2d_us), microseconds_text(record.sort_us),
               microseconds_text(record.d2h_us), std::to_string(record.launches),
               rate_text(n, record.total_us), fmt::format("{:.3f}", 1000 * record.total_us / n),
               microseconds_text(record.peer_us), record.ratio ? fmt::format("{:.2f}", *record.ratio) : "-",
               microseconds_text(record.qsort_us), microseconds_text(record.std_sort_us),
               record.verified ? "yes" : "no"});
  }
  return table.text(output_width());
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("the table cannot be written to '{}'", path));
}

int run(const Options& options) {
  if (options.list) return list(options);
  const PresetBenchRequest request = request_of(options);
  const StopOnSignal stop;
  ProgressLine line;
  const PresetBenchResult result = run_preset_bench(
      request,
      [&line](const PresetBenchProgress& now) {
        if (!line.due()) return;
        line.show(fmt::format("presets {}  {} {} {}", ProgressLine::bar(now.index + 1, now.count), now.preset,
                              name_of(now.key), size_text(now.n)));
      },
      stop.flag());
  line.clear();
  if (!options.output.empty()) store_preset_records(options.output, result.records);
  if (!options.markdown.empty()) write_text(options.markdown, preset_records_markdown(result.records));
  const std::string json = preset_records_json(result.records);
  const int code = print_report(report_of(result, json, table_text(result.records)), options.common, stop);
  if (!options.plots.empty()) draw_plots(json, options.plots);
  return code;
}

}  // namespace
}  // namespace bench_presets_command

void add_bench_presets_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "presets", "Measure published bitonic sorts",
                              bench_presets_command::description, bench_presets_command::footer);
  auto options = std::make_shared<bench_presets_command::Options>();
  options->samples = PresetBenchRequest{}.samples;
  add_list(command, "--keys", options->keys, "u32, i32 or both", "TYPE,...");
  add_text(command, "--sizes", options->sizes,
           "Keys an array (default: 2^20..2^29; on the emulated device 2^8..2^12)", "SIZE,...");
  add_list(command, "--presets", options->presets, "Presets by name, and bitune (default: all)", "NAME,...");
  add_text(command, "--against", options->against, "cub, or none (default: cub on a GPU)", "PEER");
  add_text(command, "--markdown", options->markdown, "Write tables to this file", "FILE");
  add_text(command, "--plots", options->plots,
           "Draw plots (SVG) into this folder; needs Python with Matplotlib", "DIR");
  add_flag(command, "--list", options->list, "Say what the presets are, and measure nothing");
  add_bench_options(command, *options, "Samples a preset and size, fewer of what is slow", "array");
  on_parsed(command, action_setter(action, options, bench_presets_command::run));
}

}  // namespace bitune::cli
