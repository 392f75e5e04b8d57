#include "cache/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace bitune {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// A new file with a name of its own, unlinked again unless it has been renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : name_(target.string() + "-XXXXXX" + std::string(temporary_suffix)),
        descriptor_(::mkostemps(name_.data(), static_cast<int>(temporary_suffix.size()), O_CLOEXEC)) {
    if (descriptor_ < 0) fail("cannot create a file");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t count = ::write(descriptor_, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot write a file");
      content.remove_prefix(static_cast<std::size_t>(count));
    }
    // mkostemps makes files that only their owner can read; a cache may be shared.
    if (::fchmod(descriptor_, 0644) != 0) fail("cannot set the mode of a file");
    // Without the sync, a crash of the machine can leave the new name on an empty file.
    if (::fsync(descriptor_) != 0) fail("cannot sync a file");
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot close a file");
  }

  void rename_to(const std::filesystem::path& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) fail("cannot rename a file");
    name_.clear();
  }

 private:
  std::string name_;
  int descriptor_;
};

}  // namespace

void write_atomically(const std::filesystem::path& path, std::string_view content) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  TemporaryFile file(path);
  file.write(content);
  file.rename_to(path);
}

}  // namespace bitune
