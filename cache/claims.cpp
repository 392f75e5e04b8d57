#include "cache/claims.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>

namespace bitune {
namespace {

/// The lock of one byte, whose place is a digest. Two things share a byte once in 2^62: they then wait for
/// each other.
struct flock lock_of(std::string_view what, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(XXH3_64bits(what.data(), what.size()) >> 2);
  lock.l_len = 1;
  return lock;
}

}  // namespace

Claims::Claims(const std::filesystem::path& database) : path_(database) {
  path_ += "-claims";
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
}

Claims::~Claims() {
  if (descriptor_ < 0) return;
  // Who gets all of it is the last one. A session that has just opened the file claims without the others:
  // that costs at most a second measurement.
  struct flock all = {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(descriptor_, F_OFD_SETLK, &all) == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

bool Claims::take(std::string_view what) const noexcept {
  if (descriptor_ < 0) return true;
  struct flock lock = lock_of(what, F_WRLCK);
  // Locks of the open file, not of the process: the sessions of several GPUs are threads of one.
  return ::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

void Claims::give_up(std::string_view what) const noexcept {
  if (descriptor_ < 0) return;
  struct flock lock = lock_of(what, F_UNLCK);
  ::fcntl(descriptor_, F_OFD_SETLK, &lock);
}

}  // namespace bitune
