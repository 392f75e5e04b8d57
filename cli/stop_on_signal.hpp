#pragma once

/// \file
/// Ctrl-C as a flag.

#include <atomic>
#include <csignal>
#include <thread>

namespace bitune::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP (the terminal is closed) set a flag. The second one ends the
/// process at once with 128 + its number, and removes its temporary files. Under nohup SIGHUP does nothing.
///
/// The signals are blocked, and a thread reads them. Child processes inherit the blocked mask. A terminal
/// sends Ctrl-C to all of them; so it stops neither a worker nor a compiler in the middle of something. That
/// would be taken for a failure of the configuration. Make it before any other thread is started, and one at
/// a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const noexcept { return stop_; }

  /// Number of the signal that was received; 0 if none was.
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  void watch();

  sigset_t previous_mask_;
  int signals_ = -1;  ///< signalfd
  int finish_ = -1;   ///< eventfd that ends the thread
  std::atomic<bool> stop_ = false;
  std::atomic<int> signal_ = 0;
  std::thread watcher_;
};

}  // namespace bitune::cli
