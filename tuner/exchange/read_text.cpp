#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "bitune/error.hpp"
#include "tuner/exchange/document.hpp"

namespace bitune::exchange {

std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const auto fail = [&path](ErrorCode code, const std::string& why) {
    throw Error(code, fmt::format("'{}' {}", path.string(), why));
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(ErrorCode::io, "is a directory, not a file of trials");
  errno = 0;
  // zlib reads what is not compressed as it is.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) fail(ErrorCode::io, fmt::format("cannot be read: {}", std::strerror(errno)));

  std::string text;
  std::vector<char> chunk(std::size_t{1} << 14);
  // A few bytes that unpack to gigabytes stop here, whatever size the file claims.
  for (;;) {
    const int count = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    int code = Z_OK;
    const char* message = gzerror(file.get(), &code);
    if (code == Z_ERRNO) fail(ErrorCode::io, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count < 0 || code != Z_OK) fail(ErrorCode::input, fmt::format("is damaged: {}", message));
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    if (text.size() > most_bytes) {
      fail(ErrorCode::input, fmt::format("holds more than {} bytes of text; split it", most_bytes));
    }
  }
}

}  // namespace bitune::exchange
