#include "tuner/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX signals
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "bitune/error.hpp"
#include "runtime/environment.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = std::size_t{64} << 20;
constexpr auto patience_at_end = std::chrono::seconds(2);
constexpr auto patience_after_kill = std::chrono::seconds(30);

std::string text_of_errno(int number) { return std::generic_category().message(number); }

}  // namespace

WorkerProcess::WorkerProcess(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& changes) {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw Error(ErrorCode::unavailable,
                fmt::format("cannot make a socket to a worker: {}", text_of_errno(errno)));
  }
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(program.c_str()));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::vector<char*> environment = environment_with(changes);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  // What a terminal sends to all of a session is for the session itself: it ends its workers.
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGHUP);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  const int result =
      posix_spawnp(&pid_, program.c_str(), &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(sockets[1]);
  if (result != 0) {
    close(sockets[0]);
    throw Error(ErrorCode::unavailable,
                fmt::format("cannot start the worker '{}': {}", program, text_of_errno(result)));
  }
  socket_ = sockets[0];
}

WorkerProcess::~WorkerProcess() {
  shutdown(socket_, SHUT_WR);
  if (!wait_until(Clock::now() + patience_at_end)) terminate();
  close(socket_);
}

bool WorkerProcess::send(std::string_view line) const {
  std::string bytes(line);
  bytes += '\n';
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

WorkerProcess::Received WorkerProcess::receive(std::string& line, Clock::time_point deadline) {
  std::size_t searched = 0;
  while (true) {
    if (const std::size_t end = received_.find('\n', searched); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return Received::line;
    }
    if (received_.size() > longest_line) return Received::too_long;
    searched = received_.size();

    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Received::timed_out;
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long>(left, 60000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    std::array<char, 65536> bytes;
    const ssize_t count = ready < 0 ? -1 : recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Received::ended;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

bool WorkerProcess::wait_until(Clock::time_point deadline) {
  while (!ended_) {
    const pid_t result = waitpid(pid_, &wait_status_, WNOHANG);
    if (result == pid_ || (result < 0 && errno != EINTR)) {
      ended_ = true;
    } else if (Clock::now() >= deadline) {
      return false;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return true;
}

std::string WorkerProcess::terminate() {
  // One that has closed its output is given the moment that it needs to end by itself: its own end tells
  // more.
  pollfd hung_up{socket_, 0, 0};
  const bool closing = poll(&hung_up, 1, 0) > 0 && (hung_up.revents & POLLHUP) != 0;
  if (!ended_ && !(closing && wait_until(Clock::now() + patience_at_end))) {
    kill(pid_, SIGKILL);
    if (!wait_until(Clock::now() + patience_after_kill)) {
      return "cannot be ended: the driver holds it";
    }
  }
  if (WIFSIGNALED(wait_status_)) {
    const int number = WTERMSIG(wait_status_);
    return fmt::format("was ended by signal {} ({})", number,
                       strsignal(number));  // NOLINT: one thread a worker
  }
  return fmt::format("exited with code {}", WEXITSTATUS(wait_status_));
}

}  // namespace bitune
