#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "measure/documents.hpp"
#include "runtime/device.hpp"

namespace bitune::cli {
namespace devices_command {
namespace {

constexpr const char* description =
    "Lists the GPUs and the emulated device, how they were found, and what is missing. The first column "
    "is what --device takes in other commands.";

constexpr const char* footer =
    "The emulated device runs the same kernels on the CPU, compiled by the host's C++ compiler: slow, but "
    "always there.\n"
    "\n"
    "Examples:\n"
    "  bitune devices\n"
    "  bitune devices --json";

std::string found_text(const std::string& version, const std::string& library) {
  return library.empty() ? "not found" : fmt::format("{} ({})", version, library);
}

std::string text_of(const DeviceReport& report) {
  Table table({{"device"},
               {"name", Align::left, 16},
               {"architecture"},
               {"SMs", Align::right},
               {"shared KiB/block", Align::right},
               {"memory", Align::right},
               {"GB/s", Align::right},
               {"uuid"}});
  bool has_gpu = false;
  for (const auto& [selector, info, software] : report.devices) {
    const bool gpu = info.kind == "cuda";
    has_gpu |= gpu;
    table.add({selector, info.name, gpu ? fmt::format("sm_{}", info.compute_capability()) : info.kind,
               std::to_string(info.sm_count), std::to_string(info.shared_bytes_per_block_optin / 1024),
               fmt::format("{:.1f} GiB", static_cast<double>(info.memory_bytes) / (1 << 30)),
               info.memory_gb_per_s == 0 ? "" : std::to_string(info.memory_gb_per_s), software.uuid});
  }
  std::string text = table.empty() ? "" : table.text(output_width()) + '\n';
  if (!has_gpu) {
    text += "There is no usable GPU here.\n\n";
  }
  text += fmt::format("CUDA driver:    {}\n", found_text(report.driver_version, report.driver_library));
  text += fmt::format("NVRTC:          {}\n", found_text(report.nvrtc_version, report.nvrtc_library));
  text +=
      fmt::format("host compiler:  {}\n", report.host_compiler.empty() ? "not found" : report.host_compiler);
  for (const std::string& problem : report.problems) {
    text += fmt::format("\n{}\n", wrapped(problem, std::min<std::size_t>(output_width(), 100)));
  }
  return text;
}

int run(const CommonOptions& options) {
  const DeviceReport report = find_devices();
  if (options.json) {
    print_json(json_of(report));
  } else {
    print(text_of(report));
  }
  return done;
}

}  // namespace
}  // namespace devices_command

void add_devices_command(CLI::App& parent, Action& action) {
  auto& command = add_command(parent, "devices", "List the devices, and how they were found",
                              devices_command::description, devices_command::footer);
  auto options = std::make_shared<CommonOptions>();
  add_json_option(command, *options);
  on_parsed(command, action_setter(action, options, devices_command::run));
}

}  // namespace bitune::cli
