#include "cache/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "bitune/error.hpp"

namespace bitune {

namespace fs = std::filesystem;

namespace {

fs::path folder_of_temporaries() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

}  // namespace

TemporaryFolder::TemporaryFolder() try : TemporaryFolder(folder_of_temporaries(), "bitune-") {
} catch (const std::system_error& error) {
  throw Error(ErrorCode::io,
              fmt::format("Cannot make a temporary folder in {}: {}; set TMPDIR to a folder that "
                          "can be written to.",
                          folder_of_temporaries().string(), error.code().message()));
}

TemporaryFolder::TemporaryFolder(const fs::path& parent, std::string_view prefix) : owner_(getpid()) {
  sweep_folders(parent, prefix);
  std::string name = (parent / prefix).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make a temporary folder " + name);
  }
  path_ = name;
  lock_.emplace(path_);
  leftover_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (getpid() == owner_) fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::unique(std::string_view suffix) const {
  static std::atomic<unsigned> next{0};
  // The process's number too: a fork goes on counting from where its parent was.
  return path_ / fmt::format("{}-{}{}", getpid(), next++, suffix);
}

}  // namespace bitune
