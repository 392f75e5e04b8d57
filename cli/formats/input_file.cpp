#include "cli/formats/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <system_error>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

constexpr std::uint64_t first_chunk = std::uint64_t{16} << 20;

}  // namespace

InputFile::InputFile(std::string path, ReadLimit limit) : limit_(std::move(limit)) {
  if (path == "-") {
    name_ = "standard input";
    descriptor_ = STDIN_FILENO;
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  owned_ = true;
  name_ = std::move(path);
  struct stat status = {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw Error(ErrorCode::io, fmt::format("cannot read {}: it is a directory", name_));
  }
}

InputFile::~InputFile() {
  if (owned_) {
    ::close(descriptor_);
  }
}

std::size_t InputFile::read_descriptor(char* to, std::size_t count) {
  std::size_t filled = 0;
  while (filled < count && descriptor_ >= 0) {
    const ssize_t got =
        ::read(descriptor_, to + filled, std::min<std::size_t>(count - filled, std::size_t{1} << 30));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::string_view InputFile::peek(std::size_t count) {
  if (const std::size_t have = peeked_.size(); have < count) {
    peeked_.resize(count);
    peeked_.resize(have + read_descriptor(peeked_.data() + have, count - have));
  }
  return std::string_view(peeked_).substr(0, count);
}

std::optional<std::uint64_t> InputFile::remaining() const {
  if (descriptor_ < 0) return peeked_.size();
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  const off_t position = ::lseek(descriptor_, 0, SEEK_CUR);
  if (position < 0) {
    return std::nullopt;
  }
  const std::uint64_t left =
      status.st_size > position ? static_cast<std::uint64_t>(status.st_size - position) : 0;
  return left + peeked_.size();
}

std::vector<std::byte> InputFile::read(std::uint64_t count) {
  std::vector<std::byte> bytes;
  const auto left = remaining();
  if (left) limit_.check(std::min(*left, count), name_);
  const std::uint64_t known = left.value_or(first_chunk);
  while (bytes.size() < count) {
    // Doubling what is there, up to a byte more than the limit. The first chunk is the whole of a regular
    // file.
    const std::uint64_t room = limit_.bytes - bytes.size();
    const std::uint64_t wanted = std::min(
        {count - bytes.size(), std::max<std::uint64_t>(known, bytes.size()) + 1, std::max(room, room + 1)});
    const std::size_t have = bytes.size();
    bytes.resize(have + static_cast<std::size_t>(wanted));
    char* to = reinterpret_cast<char*>(bytes.data()) + have;
    std::size_t got = peeked_.copy(to, static_cast<std::size_t>(wanted));
    peeked_.erase(0, got);
    got += read_descriptor(to + got, static_cast<std::size_t>(wanted) - got);
    if (have + got > limit_.bytes) limit_.refuse_endless(name_);
    if (got < wanted) {
      bytes.resize(have + got);
      break;
    }
  }
  return bytes;
}

MappedContent InputFile::map() const {
  const off_t position = ::lseek(descriptor_, 0, SEEK_CUR);
  struct stat status = {};
  if (position < 0 || ::fstat(descriptor_, &status) != 0) {
    throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
  }
  try {
    const auto size = static_cast<std::uint64_t>(status.st_size);
    return {std::make_shared<FileMapping>(FileMapping::for_reading(descriptor_, size)),
            static_cast<std::uint64_t>(position) - peeked_.size()};
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", name_, std::strerror(error.code().value())));
  }
}

std::vector<std::byte> InputFile::read_all() { return read(std::numeric_limits<std::uint64_t>::max()); }

}  // namespace bitune::cli
