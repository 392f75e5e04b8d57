#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::cli {
namespace {

struct WorkerArguments {
  std::string device;
  std::string kernel_cache;
};

int run(const WorkerArguments& arguments) { return run_worker(arguments.device, arguments.kernel_cache); }

}  // namespace

void add_worker_command(CLI::App& parent, Action& action) {
  auto& command = add_command(
      parent, "worker", "Evaluate configurations for a tuning session",
      "Reads evaluation requests from standard input, a JSON object a line, and answers each with a "
      "trial. `bitune tune` starts it; there is no need to do so by hand.",
      "");
  command.group("");
  auto options = std::make_shared<WorkerArguments>();
  command.add_option("--device", options->device, "Device to evaluate on")->required();
  command.add_option("--cache", options->kernel_cache, "Folder of compiled kernels");
  command.callback(action_setter(action, options, run));
}

}  // namespace bitune::cli
