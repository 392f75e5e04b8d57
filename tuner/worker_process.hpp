#pragma once

/// \file
/// A child process that is spoken to in lines.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace bitune {

/// A running child whose standard input and output are one socket to this object. Its standard error is ours.
///
/// The child starts with SIGINT blocked, as Ctrl-C reaches the whole process group and is for the parent to
/// handle. Thread-confined; the child is killed when this object is destroyed, if it has not ended by itself
/// shortly after its input ended.
class WorkerProcess {
 public:
  /// The child's environment is this process's, with the variables in `changes` ("NAME=value") set.
  /// \throws Error (unavailable) if the program cannot be started.
  WorkerProcess(const std::string& program, const std::vector<std::string>& arguments,
                const std::vector<std::string>& changes = {});
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Whether the line could be handed over; false if the child has closed its input.
  [[nodiscard]] bool send(std::string_view line) const;

  enum class Received {
    line,
    timed_out,
    ended,    ///< the child closed its output: it ended, or soon will
    too_long  ///< no line end in more bytes than any answer has
  };
  /// Waits for the next line, without its line end.
  [[nodiscard]] Received receive(std::string& line, std::chrono::steady_clock::time_point deadline);

  /// Kills the child unless it has ended, and waits for it. Returns how it ended: "was ended by signal 11
  /// (Segmentation fault)", "exited with code 3".
  std::string terminate();

 private:
  /// Whether the child has ended, waiting for it until the deadline.
  bool wait_until(std::chrono::steady_clock::time_point deadline);

  pid_t pid_ = -1;
  int socket_ = -1;
  int wait_status_ = 0;
  bool ended_ = false;
  std::string received_;  ///< bytes after the last line that was returned
};

}  // namespace bitune
