#include "cli/formats/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "bitune/error.hpp"

namespace bitune::cli {
namespace {

constexpr std::array<int, 3> fatal_signals = {SIGINT, SIGTERM, SIGHUP};

/// A file that the signal handler removes. The path is written before the flag and read after it.
struct PendingFile {
  std::array<char, 4096> path;
  volatile std::sig_atomic_t is_there = 0;
};
std::array<PendingFile, 4> pending_files;
std::array<struct sigaction, fatal_signals.size()> previous_actions;

extern "C" void remove_pending_file(int signal) {
  for (const PendingFile& file : pending_files) {
    if (file.is_there != 0) {
      ::unlink(file.path.data());
    }
  }
  // The process ends as it would have without this handler, so that a shell sees the signal.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

bool is_any_pending() {
  return std::any_of(pending_files.begin(), pending_files.end(),
                     [](const PendingFile& file) { return file.is_there != 0; });
}

void remove_on_signal(const std::string& path) {
  const auto free = std::find_if(pending_files.begin(), pending_files.end(),
                                 [](const PendingFile& file) { return file.is_there == 0; });
  if (free == pending_files.end() || path.size() >= free->path.size()) {
    return;
  }
  const bool is_first = !is_any_pending();
  std::copy_n(path.c_str(), path.size() + 1, free->path.begin());
  free->is_there = 1;
  if (!is_first) {
    return;
  }
  struct sigaction action = {};
  action.sa_handler = remove_pending_file;
  action.sa_flags = SA_NODEFER;
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    ::sigaction(fatal_signals[i], nullptr, &previous_actions[i]);
    if (previous_actions[i].sa_handler != SIG_IGN) {
      ::sigaction(fatal_signals[i], &action, nullptr);
    }
  }
}

void forget_pending_file(const std::string& path) {
  const auto found = std::find_if(pending_files.begin(), pending_files.end(), [&](const PendingFile& file) {
    return file.is_there != 0 && path == file.path.data();
  });
  if (found == pending_files.end()) {
    return;
  }
  found->is_there = 0;
  if (is_any_pending()) {
    return;
  }
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    ::sigaction(fatal_signals[i], &previous_actions[i], nullptr);
  }
}

/// Permissions of a new file, or those of the file that is replaced.
mode_t permissions_for(const struct stat* existing) {
  if (existing != nullptr) {
    return existing->st_mode & 07777U;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

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
  temporary_ =
      (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string().substr(0, 200))).string();
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot write");
  }
  remove_on_signal(temporary_);
  if (::fchmod(descriptor_, permissions_for(exists ? &status : nullptr)) != 0) {
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
    forget_pending_file(temporary_);
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

void OutputFile::commit() {
  if (temporary_.empty()) {
    close_and_remove();
    return;
  }
  if (::fsync(descriptor_) != 0) {
    fail("cannot write");
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 || ::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    fail("cannot write");
  }
  forget_pending_file(temporary_);
  temporary_.clear();
  // The name is in the directory: without this a power cut could take it back. Not every file system can.
  const auto parent = std::filesystem::path(destination_).parent_path();
  const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

}  // namespace bitune::cli
