#include "cli/plots.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

namespace fs = std::filesystem;

fs::path script_path() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  fs::path path =
      (executable.parent_path() / ".." / "share" / "bitune" / "plot_presets.py").lexically_normal();
  if (error || !fs::is_regular_file(path, error)) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format("the plots cannot be drawn: there is no '{}'; keep the command's folders together",
                    path.string()));
  }
  return path;
}

/// Exit code of the program; 127 if it cannot be started.
int run_program(const std::string& program, const std::string& script, const std::string& records,
                const std::string& folder) {
  std::string words[] = {program, script, records, folder};
  const std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                                          nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

void draw_plots(std::string_view records_json, const std::string& folder) {
  const fs::path script = script_path();
  const char* named = std::getenv("BITUNE_PYTHON");
  const std::string python = named != nullptr && *named != '\0' ? named : "python3";
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path records = fs::path(folder) / fmt::format(".records.{}.json", ::getpid());
  std::ofstream file(records, std::ios::trunc);
  file << records_json;
  file.close();
  if (!file) throw Error(ErrorCode::io, fmt::format("the plots cannot be written to '{}'", folder));
  const int code = run_program(python, script.string(), records.string(), folder);
  fs::remove(records, error);
  if (code != 0) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format(
            "'{} {}' failed ({}): the plots need Python 3 with Matplotlib; $BITUNE_PYTHON names another "
            "Python",
            python, script.string(), code));
  }
}

}  // namespace bitune::cli
