// A library to be preloaded: from the n-th call that changes a file on, the disk is full, read-only or
// broken, or the process is killed there. What happens depends on no time.
//
//   FAILING_IO_AT     n, from 1 on
//   FAILING_IO_WITH   "kill", or an errno as a number
//   FAILING_IO_MARK   a file that is made as soon as it happens
//   FAILING_IO_IN     only in processes whose first argument is this; empty: in all
//
// The n-th call, if it writes, still writes half of its bytes: a torn write. Standard streams, pipes and
// sockets are left alone.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// The first argument, read by system calls alone: those of libc may be the ones below.
bool meant() {
  const char* wanted = std::getenv("FAILING_IO_IN");
  if (wanted == nullptr || *wanted == '\0') return true;
  char text[4096] = {};
  const auto file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY));
  const long count = file < 0 ? 0 : ::syscall(SYS_read, file, text, sizeof text - 1);
  if (file >= 0) ::syscall(SYS_close, file);
  const char* first = text + std::strlen(text) + 1;
  return count > 0 && first < text + count && std::strcmp(first, wanted) == 0;
}

struct Plan {
  long at = 0;
  bool kills = false;
  int error = 0;
};

const Plan& plan() {
  static const Plan read = [] {
    const char* at = std::getenv("FAILING_IO_AT");
    const char* with = std::getenv("FAILING_IO_WITH");
    if (at == nullptr || with == nullptr || !meant()) return Plan{};
    return Plan{std::atol(at), std::strcmp(with, "kill") == 0, std::atoi(with)};
  }();
  return read;
}

enum class Fate { passes, first, later };

Fate fate() {
  static std::atomic<long> calls{0};
  if (plan().at == 0) return Fate::passes;
  const long call = ++calls;
  if (call < plan().at) return Fate::passes;
  if (call > plan().at) return Fate::later;
  if (const char* mark = std::getenv("FAILING_IO_MARK")) {
    const auto file =
        static_cast<int>(::syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (file >= 0) ::syscall(SYS_close, file);
  }
  return Fate::first;
}

bool is_file(int descriptor) {
  struct stat facts {};
  return descriptor > 2 && ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

// What every failing call ends with.
int fail() {
  if (plan().kills) ::kill(::getpid(), SIGKILL);
  errno = plan().error;
  return -1;
}

template <class Write>
ssize_t write_or_fail(int descriptor, std::size_t count, Write&& write) {
  if (!is_file(descriptor)) return write(count);
  switch (fate()) {
    case Fate::passes:
      return write(count);
    case Fate::first:
      if (count > 1) {
        const ssize_t half = write(count / 2);
        return plan().kills ? fail() : half;
      }
      break;
    case Fate::later:
      break;
  }
  return fail();
}

template <class Call>
int call_or_fail(bool counts, Call&& call) {
  return counts && fate() != Fate::passes ? fail() : call();
}

// The counters of coverage are not what is tested.
template <class Open>
int open_or_fail(const char* path, int flags, Open&& open) {
  const std::size_t length = std::strlen(path);
  const bool is_counters = length > 5 && std::strcmp(path + length - 5, ".gcda") == 0;
  return call_or_fail((flags & O_CREAT) != 0 && !is_counters, open);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of libc
extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return write_or_fail(descriptor, count, [&](size_t part) { return real(descriptor, bytes, part); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  return write_or_fail(descriptor, count, [&](size_t part) { return real(descriptor, bytes, part, offset); });
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  return write_or_fail(descriptor, count, [&](size_t part) { return real(descriptor, bytes, part, offset); });
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return call_or_fail(is_file(descriptor), [&] { return real(descriptor); });
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return call_or_fail(is_file(descriptor), [&] { return real(descriptor); });
}

int ftruncate(int descriptor, off_t length) {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  return call_or_fail(is_file(descriptor), [&] { return real(descriptor, length); });
}

int ftruncate64(int descriptor, off64_t length) {
  static const auto real = next<int (*)(int, off64_t)>("ftruncate64");
  return call_or_fail(is_file(descriptor), [&] { return real(descriptor, length); });
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return call_or_fail(true, [&] { return real(from, to); });
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  return open_or_fail(path, flags, [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static const auto real = next<int (*)(const char*, int, ...)>("open64");
  return open_or_fail(path, flags, [&] { return real(path, flags, mode); });
}
}
// NOLINTEND(readability-identifier-naming)
