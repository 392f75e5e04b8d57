
#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "tuner/evaluator.hpp"

namespace bitune::cli {
namespace worker_command {
namespace {

struct WorkerArguments {
  std::string device;
  std::string kernel_cache;
};

int run(const WorkerArguments& arguments) { return run_worker(arguments.device, arguments.kernel_cache); }

}  // namespace
}  // namespace worker_command

void add_worker_command(CLI::App& parent, Action& action) {
  auto& command = add_command(
      parent, "worker", "Evaluate configurations for a tuning session",
      "Reads evaluation requests from standard input, a JSON object a line, and answers each with a "
      "trial. `bitune tune` starts it; there is no need to do so by hand.",
      "");
  hide(command);
  auto options = std::make_shared<worker_command::WorkerArguments>();
  add_argument(command, "--device", options->device, "Device to evaluate on", true);
  add_argument(command, "--cache", options->kernel_cache, "Folder of compiled kernels", false);
  on_parsed(command, action_setter(action, options, worker_command::run));
}

}  // namespace bitune::cli
