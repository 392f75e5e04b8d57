#include "cli/stop_on_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "bitune/error.hpp"
#include "cache/leftovers.hpp"

namespace bitune::cli {

StopOnSignal::StopOnSignal() {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  struct sigaction hangup = {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&watched, SIGHUP);  // as under nohup
  ::pthread_sigmask(SIG_BLOCK, &watched, &previous_mask_);
  signals_ = ::signalfd(-1, &watched, SFD_CLOEXEC);
  finish_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || finish_ < 0) {
    const int reason = errno;
    ::close(signals_);
    ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
    throw Error(ErrorCode::io, std::string("cannot watch for Ctrl-C: ") + std::strerror(reason));
  }
  watcher_ = std::thread([this] { watch(); });
}

StopOnSignal::~StopOnSignal() {
  const std::uint64_t one = 1;
  while (::write(finish_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  watcher_.join();
  ::close(signals_);
  ::close(finish_);
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void StopOnSignal::watch() {
  std::array<pollfd, 2> sources = {{{signals_, POLLIN, 0}, {finish_, POLLIN, 0}}};
  while (true) {
    if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    if ((sources[1].revents & POLLIN) != 0) {
      return;
    }
    signalfd_siginfo received = {};
    if ((sources[0].revents & POLLIN) == 0 ||
        ::read(signals_, &received, sizeof received) != sizeof received) {
      continue;
    }
    const int number = static_cast<int>(received.ssi_signo);
    if (stop_.exchange(true)) {
      remove_leftovers();
      ::_exit(128 + number);
    }
    signal_ = number;
  }
}

}  // namespace bitune::cli
