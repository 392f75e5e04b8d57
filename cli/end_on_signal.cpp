#include "cli/end_on_signal.hpp"

#include <array>
#include <csignal>

#include "cache/leftovers.hpp"

namespace bitune::cli {
namespace {

extern "C" void remove_leftovers_and_end(int signal) {
  remove_leftovers();
  // The process ends as it would have without this handler, so that a shell sees the signal.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void remove_leftovers_on_signals() {
  struct sigaction action = {};
  action.sa_handler = remove_leftovers_and_end;
  action.sa_flags = SA_NODEFER;
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present = {};
    ::sigaction(signal, nullptr, &present);
    if (present.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace bitune::cli
