#include "tests/unit/tuner/fake_worker.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX signals
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/request_json.hpp"

namespace bitune::testing_support {
namespace {

void say(const Json& message) { std::cout << line_of(message) << std::endl; }

Trial answer(const EvaluationRequest& request) {
  Trial trial;
  trial.problem = request.problem;
  trial.configuration = request.configuration;
  trial.samples_us = {1, 2, 3};
  trial.message = std::to_string(getpid());
  return trial;
}

}  // namespace

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

int run_fake_worker(const std::string& behaviour) {
  if (behaviour == "mute") return 3;
  if (behaviour == "no device") {
    say({{"error", "there is no device 7"}});
    return 1;
  }
  say({{"ready", "a fake"}});
  std::string line;
  while (std::getline(std::cin, line)) {
    const EvaluationRequest request = request_from(Json::parse(line).at("evaluate"));
    // The block size asks for misbehaviour, so that one worker can be good and bad in turn.
    switch (request.configuration.at("mode")) {
      case 1:
        say({{"phase", "run"}});
        while (true) pause();
      case 2:
        say({{"phase", "run"}});
        signal(SIGSEGV, SIG_DFL);  // no report by the address sanitizer
        raise(SIGSEGV);
        break;
      case 3:
        std::cout << "Segmentation fault (core dumped), said a library" << std::endl;
        break;
      case 4:
        return 5;
      case 5:
        say({{"trial", {{"status", "ok"}}}});
        break;
      case 6:
        say({{"trial", json_of(answer(request))}, {"fatal", true}});
        return 1;
      case 7:
        say({{"error", "the GPU is gone"}});
        return 1;
      case 8:
        for (const char* phase : {"prepare", "compile"}) say({{"phase", phase}});
        say({{"trial", json_of(answer(request))}});
        break;
      case 9:
        std::cout << "[1, 2]" << std::endl;
        break;
      case 10: {  // its message is its folder for temporary files, in which it leaves one
        Trial trial = answer(request);
        trial.message = std::getenv("TMPDIR");
        std::ofstream(std::filesystem::path(trial.message) / "left") << "behind";
        say({{"trial", json_of(trial)}});
        break;
      }
      case 11:  // as it makes keys
        while (true) pause();
      case 12:
        say({{"phase", "compile"}});
        while (true) pause();
      default:
        say({{"trial", json_of(answer(request))}});
    }
  }
  return 0;
}

}  // namespace bitune::testing_support
