#include "runtime/emulated/process_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "bitune/error.hpp"

namespace bitune::emulated {

namespace fs = std::filesystem;

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
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace bitune::emulated
