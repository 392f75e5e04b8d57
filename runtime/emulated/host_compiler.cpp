#include "runtime/emulated/host_compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/environment.hpp"

namespace bitune::emulated {
namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// A name with a slash is a path; any other is looked for in $PATH.
std::optional<fs::path> locate(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return is_executable(name) ? std::optional<fs::path>(name) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const fs::path candidate = fs::path(folders.substr(0, end)) / name;
    if (end != 0 && is_executable(candidate)) return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return std::nullopt;
}

/// Each file is asked once: a compiler takes as long to start as to compile a short kernel.
std::optional<HostCompiler> ask_version(const fs::path& path) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, fs::file_time_type>, std::string> versions;
  std::error_code ignored;
  const std::pair file{path, fs::last_write_time(path, ignored)};
  const std::lock_guard lock(mutex);
  auto known = versions.find(file);
  if (known == versions.end()) {
    const ProcessResult result = run_process(path, {"--version"});
    if (result.exit_code != 0) return std::nullopt;
    known = versions.emplace(file, result.output.substr(0, result.output.find('\n'))).first;
  }
  return HostCompiler{path, known->second, locate("ld").value_or(fs::path())};
}

/// Both ends of a pipe; each closes itself.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw Error(ErrorCode::unavailable, fmt::format("Cannot make a pipe: {}.", std::strerror(errno)));
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int write_end() const { return ends_[1]; }

  /// All that is written until the last writer closes its end.
  std::string drain() {
    close_end(1);
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
      const ssize_t bytes = ::read(ends_[0], piece.data(), piece.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(bytes));
    }
  }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

}  // namespace

ProcessResult run_process(const fs::path& program, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& changes) {
  std::string name = program.string();
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv{name.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);

  Pipe pipe;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.write_end(), STDERR_FILENO);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, name.c_str(), &actions, nullptr, argv.data(), environment_with(changes).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw Error(ErrorCode::unavailable, fmt::format("Cannot start {}: {}.", name, std::strerror(failure)));
  }

  ProcessResult result;
  result.output = pipe.drain();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::optional<HostCompiler> find_host_compiler() {
  if (const char* chosen = std::getenv("BITUNE_CXX"); chosen != nullptr && *chosen != '\0') {
    if (const auto path = locate(chosen)) {
      if (auto compiler = ask_version(*path)) return compiler;
    }
    throw Error(
        ErrorCode::unavailable,
        fmt::format(
            "BITUNE_CXX names '{}', which is no C++ compiler that can be run; set it to the path of one "
            "or unset it.",
            chosen));
  }
  std::vector<std::string> names{"c++", "g++", "clang++"};
  if (const char* usual = std::getenv("CXX"); usual != nullptr && *usual != '\0')
    names.insert(names.begin(), usual);
  for (const std::string& name : names) {
    if (const auto path = locate(name)) {
      if (auto compiler = ask_version(*path)) return compiler;
    }
  }
  return std::nullopt;
}

std::string host_compiler_problem() {
  try {
    if (find_host_compiler()) return {};
    return "there is no C++ compiler for the emulated device's kernels: install g++ or set BITUNE_CXX to one";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string describe_host_compiler() {
  try {
    const auto compiler = find_host_compiler();
    return compiler ? fmt::format("{} ({})", compiler->version, compiler->path.string()) : std::string();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace bitune::emulated
