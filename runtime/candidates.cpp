#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/own_folders.hpp"
#include "runtime/selection.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

void add_warning(std::string* warning, const std::string& sentence) {
  if (warning == nullptr) return;
  if (!warning->empty()) *warning += "; ";
  *warning += sentence;
}

std::vector<Candidate> read(const Problem& problem, const fs::path& path, std::string* warning) {
  try {
    return TuningDatabase(path, DatabaseMode::read_only).candidates(problem);
  } catch (const Error& error) {
    add_warning(warning, error.what());
    return {};
  }
}

/// Where an installation may have its data, the likeliest first: around this library and this program; then,
/// for programs that bitune is linked into, where the XDG base directories are.
std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  for (const fs::path& folder : own_folders()) {
    folders.push_back(folder / ".." / "share");
    folders.push_back(folder / ".." / ".." / "share");  // from lib/x86_64-linux-gnu
  }
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string home = variable("XDG_DATA_HOME"); !home.empty())
    folders.emplace_back(home);
  else if (const std::string user = variable("HOME"); !user.empty())
    folders.push_back(fs::path(user) / ".local" / "share");
  std::string shared = variable("XDG_DATA_DIRS");
  if (shared.empty()) shared = "/usr/local/share:/usr/share";
  std::istringstream list(shared);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

std::optional<fs::path> shipped_database_path() {
  // Set but empty means: none. A path that does not exist is returned, so that reading it names the mistake.
  if (const char* named = std::getenv("BITUNE_SHIPPED_DB"); named != nullptr) {
    return *named == '\0' ? std::nullopt : std::optional<fs::path>(named);
  }
  for (const fs::path& folder : data_folders()) {
    const fs::path path = (folder / "bitune" / "tunings.db").lexically_normal();
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
  }
  return std::nullopt;
}

fs::path kernels_beside(const fs::path& database) { return fs::path(database).replace_extension("kernels"); }

CandidateSet read_candidates(const Problem& problem, const fs::path& user_database, std::string* warning) {
  CandidateSet set;
  std::error_code error;
  if (user_database.empty()) {
    add_warning(warning, "no tuning database is named");
  } else if (!fs::exists(user_database, error)) {
    add_warning(warning, error ? fmt::format("the tuning database '{}' cannot be reached ({})",
                                             user_database.string(), error.message())
                               : fmt::format("there is no tuning database '{}' yet", user_database.string()));
  } else {
    set.user = read(problem, user_database, warning);
  }
  if (const auto shipped = shipped_database_path()) {
    std::string fault;
    set.shipped = read(problem, *shipped, &fault);
    // The advice of the sentence is about the user's database.
    if (!fault.empty()) {
      add_warning(warning,
                  fmt::format("the shipped tunings are not used: {}; BITUNE_SHIPPED_DB names others, "
                              "or none where it is empty",
                              fault.substr(0, fault.find(';'))));
    }
  }
  return set;
}

}  // namespace bitune
