#include "cache/file_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace bitune {
namespace {

[[noreturn]] void fail(int reason) { throw std::system_error(reason, std::generic_category()); }

/// Closes a file at the end of a block.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// A file that has no name, or loses it at once where the file system knows no such files.
int open_nameless(const std::filesystem::path& folder) {
  const std::filesystem::path place = folder.empty() ? "." : folder;
  const int descriptor = ::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
  std::string name = place / ".bitune-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

FileMapping::FileMapping(int descriptor, std::uint64_t bytes, int protection) {
  if (bytes == 0) return;
  void* const memory = ::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail(errno);
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

FileMapping FileMapping::for_reading(int descriptor, std::uint64_t bytes) {
  return {descriptor, bytes, PROT_READ};
}

FileMapping FileMapping::for_writing(int descriptor, std::uint64_t bytes) {
  if (bytes > 0) {
    int reason = 0;
    do {
      reason = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    } while (reason == EINTR);
    if (reason != 0) fail(reason);
  }
  return {descriptor, bytes, PROT_READ | PROT_WRITE};
}

FileMapping FileMapping::nameless(const std::filesystem::path& folder, std::uint64_t bytes) {
  const Descriptor file{open_nameless(folder)};
  if (file.number < 0) fail(errno);
  return for_writing(file.number, bytes);
}

FileMapping::~FileMapping() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

FileMapping::FileMapping(FileMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileMapping& FileMapping::operator=(FileMapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace bitune
