#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX signals
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/local_evaluator.hpp"
#include "tuner/request_json.hpp"

namespace bitune {
namespace {

/// The way to the parent: what standard output was. What a library prints to standard output goes to standard
/// error, so that it cannot stand between two messages.
class Channel {
 public:
  Channel() : descriptor_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~Channel() { close(descriptor_); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// If the parent is gone, so is the reason to write: then nothing happens, and the input ends.
  void send(const Json& message) const {
    const std::string line = line_of(message) + '\n';
    for (std::size_t sent = 0; sent < line.size();) {
      const ssize_t count = write(descriptor_, line.data() + sent, line.size() - sent);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

 private:
  int descriptor_;
};

/// The trial of an evaluation that broke the device's context.
Trial broken_trial(const EvaluationRequest& request, const std::string& message) {
  Trial trial = begun_trial(request.problem, request.configuration);
  trial.status = TrialStatus::launch_failed;
  trial.message = message;
  return trial;
}

int serve(Evaluator& evaluator, const Channel& channel) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const EvaluationRequest request = request_from(Json::parse(line).at("evaluate"));
    try {
      channel.send({{"trial", json_of(evaluator.evaluate(request))}, {"fatal", false}});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::device) throw;
      channel.send({{"trial", json_of(broken_trial(request, error.what()))}, {"fatal", true}});
      return 1;
    }
  }
  return 0;
}

}  // namespace

int run_worker(const std::string& device, const std::string& kernel_cache) {
  // A killed parent takes its worker along even while a kernel hangs; Ctrl-C is the parent's to handle.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);

  const Channel channel;
  try {
    const std::shared_ptr<Device> opened = open_device(device);
    const std::filesystem::path directory =
        kernel_cache.empty() ? KernelCache::default_directory() : std::filesystem::path(kernel_cache);
    const auto cache = std::make_shared<KernelCache>(directory);
    const auto evaluator = make_local_evaluator(opened, std::make_shared<KernelStore>(opened, cache),
                                                [&channel](EvaluationPhase phase) {
                                                  channel.send({{"phase", name_of(phase)}});
                                                });
    channel.send({{"ready", opened->describe()}});
    return serve(*evaluator, channel);
  } catch (const std::bad_alloc&) {
    channel.send({{"error", "there is not enough host memory for the keys and what they are verified with"}});
  } catch (const std::exception& error) {
    channel.send({{"error", error.what()}});
  }
  return 1;
}

}  // namespace bitune
