#include "runtime/emulated/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "bitune/error.hpp"

namespace bitune::emulated {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() : owner_(getpid()) {
  const char* chosen = std::getenv("TMPDIR");
  const fs::path parent = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  constexpr const char* prefix = "bitune-";
  sweep_folders(parent, prefix);
  do {
    std::string name = (parent / prefix).string() + "XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorCode::io,
                  fmt::format("Cannot make a temporary folder {}: {}; set TMPDIR to a folder that can be "
                              "written to.",
                              name, std::strerror(errno)));
    }
    path_ = name;
    lock_.emplace(path_);
  } while (lock_->is_swept());
  leftover_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (getpid() == owner_) remove_folder(path_);
}

fs::path TemporaryFolder::unique(std::string_view suffix) const {
  static std::atomic<unsigned> next{0};
  // The process's number too: a fork goes on counting from where its parent was.
  return path_ / fmt::format("{}-{}{}", getpid(), next++, suffix);
}

const TemporaryFolder& process_folder() {
  static const TemporaryFolder folder;
  return folder;
}

void write_file(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw Error(ErrorCode::io, fmt::format("Cannot write {}: {}.", path.string(), std::strerror(errno)));
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::io, fmt::format("Cannot read {}: {}.", path.string(), std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace bitune::emulated
