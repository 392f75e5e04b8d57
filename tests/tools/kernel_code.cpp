// kernel_code [--threads N] [--variants NAME,...] DATABASE... [RECORDS.json...] > LIST
//
// Compiles every kernel that the configurations in these files need, and lists the machine code of each. All
// variants take some thousand compilations. What a change cannot reach may be left out by --variants.
// scripts/move_kernel_digests.py compares two such lists: it says how to use both. Needs NVRTC, but no GPU.
//
//     version <tab> variant <tab> digest of its kernel sources
//     kernel <tab> variant <tab> problem <tab> configuration <tab> which launch <tab> digest of its code
//            <tab> digest of it but for the order of waiting and letting others begin <tab> bytes of
//            instructions <tab> registers <tab> header <tab> name
//     refused <tab> variant <tab> problem <tab> configuration <tab> why

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "cache/tuning_database.hpp"
#include "model/configuration.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/variant.hpp"
#include "tests/support/cubin.hpp"

namespace bitune::test {
namespace {

/// What was measured, and on which device.
using Case = std::tuple<std::string /* configuration */, Problem, std::string /* device digest */>;

struct Cases {
  std::map<std::string, DeviceInfo> devices;  // by digest
  std::set<Case> all;

  void add_database(const std::string& path) {
    const TuningDatabase database(path, DatabaseMode::read_only);
    for (const DeviceRow& row : database.devices()) devices.emplace(row.info.digest(), row.info);
    for (const TrialRow& row : database.trials({})) {
      all.emplace(row.trial.configuration.text(), row.trial.problem, row.device_digest);
    }
  }

  void add_records(const std::string& path) {
    std::ifstream file(path);
    for (const nlohmann::json& record : nlohmann::json::parse(file)) {
      if (!record.contains("configuration") || !record.contains("key_type")) continue;
      const Problem problem{{.operation = parse_operation(record.value("operation", "sort")),
                             .key = parse_key_type(record.at("key_type").get<std::string>()),
                             .value_bytes = record.value("value_bytes", 0U),
                             .index_bytes = record.value("index_bytes", 0U),
                             .order = parse_order(record.value("order", "ascending")),
                             .stable = record.value("stable", false),
                             .k = record.value("k", std::uint64_t{0})},
                            {.n = record.at("n"),
                             .rows = record.value("rows", std::uint64_t{1}),
                             .ragged = record.value("ragged", false)}};
      all.emplace(record.at("configuration"), problem, digest_of_device(record.at("device")));
    }
  }

  [[nodiscard]] std::string digest_of_device(const std::string& name) const {
    for (const auto& [digest, info] : devices) {
      if (info.name == name) return digest;
    }
    throw std::runtime_error(fmt::format("no database that was named before knows the device '{}'", name));
  }
};

/// Kernels of one architecture, each compiled once.
struct Kernels {
  std::unique_ptr<Compiler> compiler;
  std::map<KernelSource, std::string> lines;  // the end of the line of each

  void compile_all(unsigned threads) {
    std::vector<std::pair<const KernelSource, std::string>*> left;
    for (auto& entry : lines) left.push_back(&entry);
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) {
      workers.emplace_back([&] {
        for (std::size_t at = next++; at < left.size(); at = next++) {
          auto& [source, line] = *left[at];
          line = line_of(source);
          if (at % 50 == 0) std::cerr << fmt::format("{} of {} kernels\n", at, left.size());
        }
      });
    }
  }

  [[nodiscard]] std::string line_of(const KernelSource& source) const {
    std::string code = "not compiled";
    std::string any_order = code;
    std::size_t bytes = 0;
    int registers = -1;
    try {
      const KernelImage image = compiler->compile(source);
      const MachineCode machine = machine_code(image.bytes);
      code = machine.digest;
      any_order = machine.any_launch_order;
      bytes = machine.bytes;
      registers = image.registers;
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
    }
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", code, any_order, bytes, registers, source.header,
                       source.name_expression);
  }
};

/// The plan, or why there is none any more.
Plan plan_of(const Variant& family, const Problem& problem, const Configuration& configuration,
             const DeviceInfo& device) {
  if (const auto violation = family.space(problem, device).violation(configuration, problem, device)) {
    throw std::runtime_error(*violation);
  }
  return family.plan(problem, configuration, device);
}

/// listed: names of variants; none: all.
void list(const Cases& cases, unsigned threads, const std::set<std::string>& listed) {
  const auto is_listed = [&](std::string_view name) {
    return listed.empty() || listed.contains(std::string(name));
  };
  for (const Variant* family : variants()) {
    if (!is_listed(family->name())) continue;
    fmt::print("version\t{}\t{}\n", family->name(), kernel_sources_digest(family->name()));
  }
  std::map<int, Kernels> kernels;  // by compute capability
  struct Entry {
    std::string head;
    int capability = 0;
    std::vector<KernelSource> launches;  // the kernel of each
  };
  std::vector<Entry> entries;
  for (const auto& [text, problem, digest] : cases.all) {
    const DeviceInfo& device = cases.devices.at(digest);
    const int capability = device.compute_capability();
    const Configuration configuration = Configuration::parse(text);
    if (!is_listed(configuration.variant)) continue;
    const std::string head = fmt::format("{}\t{}\t{}", configuration.variant, text_of(problem), text);
    try {
      const Plan plan = plan_of(variant(configuration.variant), problem, configuration, device);
      for (const KernelSource& kernel : plan.kernels) kernels[capability].lines.try_emplace(kernel);
      Entry& entry = entries.emplace_back(Entry{.head = head, .capability = capability, .launches = {}});
      for (const Launch& launch : plan.launches) entry.launches.push_back(plan.kernels[launch.kernel]);
    } catch (const std::exception& error) {
      fmt::print("refused\t{}\t{}\n", head, error.what());
    }
  }
  for (auto& [capability, of_one] : kernels) {
    of_one.compiler = cuda::make_nvrtc_compiler(capability / 10, capability % 10);
    of_one.compile_all(threads);
  }
  for (const Entry& entry : entries) {
    for (std::size_t i = 0; i < entry.launches.size(); ++i) {
      fmt::print("kernel\t{}\t{}\t{}\n", entry.head, i,
                 kernels.at(entry.capability).lines.at(entry.launches[i]));
    }
  }
}

void run(const std::vector<std::string>& arguments) {
  Cases cases;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::set<std::string> listed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--threads" && i + 1 < arguments.size()) {
      threads = static_cast<unsigned>(std::stoul(arguments[++i]));
    } else if (argument == "--variants" && i + 1 < arguments.size()) {
      std::istringstream names(arguments[++i]);
      for (std::string name; std::getline(names, name, ',');) listed.emplace(variant(name).name());
    } else if (argument.ends_with(".json")) {
      cases.add_records(argument);
    } else {
      cases.add_database(argument);
    }
  }
  if (cases.all.empty())
    throw std::runtime_error(
        "usage: kernel_code [--threads N] [--variants NAME,...] DATABASE... [RECORDS.json...]");
  list(cases, threads, listed);
}

}  // namespace
}  // namespace bitune::test

int main(int count, char** arguments) {
  try {
    bitune::test::run({arguments + 1, arguments + count});
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "kernel_code: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
