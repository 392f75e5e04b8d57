#include "cli/formats/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

/// Follows links by hand, as the last one may point to a file that does not exist yet.
std::string resolve_links(const std::string& path) {
  std::filesystem::path current = path;
  std::error_code ignored;
  for (int depth = 0; depth < 40 && std::filesystem::is_symlink(current, ignored); ++depth) {
    const auto target = std::filesystem::read_symlink(current, ignored);
    current = target.is_absolute() ? target : current.parent_path() / target;
  }
  return current.string();
}

}  // namespace

OutputFile::OutputFile(std::string path) : name_(std::move(path)) {
  if (name_ == "-") {
    name_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (name_.empty()) {
    throw Error(ErrorCode::usage, "the name of the output file is empty");
  }
  destination_ = resolve_links(name_);
  struct stat status = {};
  const bool exists = ::stat(destination_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::io, fmt::format("cannot write {}: it is a directory", name_));
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(destination_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail("cannot write");
    }
    return;
  }
  if (exists && ::access(destination_.c_str(), W_OK) != 0) {
    fail("cannot write");
  }
  const std::filesystem::path target = destination_;
  constexpr std::size_t most_name = 200;  // of 255 bytes
  const std::string prefix = fmt::format(".{}.bitune-", target.filename().string().substr(0, most_name));
  descriptor_ = create_locked_file(target.parent_path(), prefix, temporary_);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot write");
  }
  leftover_.emplace(temporary_);
  if (exists && ::fchmod(descriptor_, status.st_mode & 07777U) != 0) {
    const int reason = errno;
    close_and_remove();
    errno = reason;
    fail("cannot set the permissions of");
  }
}

OutputFile::~OutputFile() { close_and_remove(); }

void OutputFile::close_and_remove() noexcept {
  if (descriptor_ > STDERR_FILENO) {
    ::close(descriptor_);
  }
  descriptor_ = -1;
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    leftover_.reset();
    temporary_.clear();
  }
}

void OutputFile::fail(const char* what) const {
  throw Error(ErrorCode::io, fmt::format("{} {}: {}", what, name_, std::strerror(errno)));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      fail("cannot write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

std::span<std::byte> OutputFile::map(std::uint64_t bytes) {
  const off_t written = ::lseek(descriptor_, 0, SEEK_CUR);
  if (written < 0) fail("cannot write");
  const auto begin = static_cast<std::uint64_t>(written);
  try {
    mapping_ = FileMapping::for_writing(descriptor_, begin + bytes);
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::io, fmt::format("cannot write {}, which takes {} bytes: {}", name_, begin + bytes,
                                           std::strerror(error.code().value())));
  }
  return mapping_.bytes().subspan(begin);
}

void OutputFile::commit() {
  if (temporary_.empty()) {
    close_and_remove();
    return;
  }
  if (::fsync(descriptor_) != 0) {
    fail("cannot write");
  }
  // Renamed while it is open: once it is closed, its lock is gone, and others might sweep it.
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    fail("cannot write");
  }
  leftover_.reset();
  temporary_.clear();
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail("cannot write");
  }
  // The name is in the directory: without this a power cut could take it back. Not every file system can.
  const auto parent = std::filesystem::path(destination_).parent_path();
  const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace bitune::cli
