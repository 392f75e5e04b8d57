#include "runtime/parts/host_scratch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "bitune/error.hpp"

namespace bitune {

HostScratch::HostScratch(std::size_t bytes, const std::string& folder) {
  if (bytes == 0) return;
  if (!folder.empty()) {
    try {
      file_ = FileMapping::nameless(folder, bytes);
    } catch (const std::system_error& error) {
      throw Error(ErrorCode::out_of_resources,
                  fmt::format("an array that is sorted in parts needs as much room in {} again, {} bytes, "
                              "and there is none: {}",
                              folder, bytes, std::strerror(error.code().value())));
    }
    data_ = file_.bytes().data();
    return;
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("an array that is sorted in parts needs as much memory of the host again, {} bytes, "
                    "and there are not so many: {}",
                    bytes, std::strerror(errno)));
  }
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));  // only faster
  data_ = static_cast<std::byte*>(memory);
  anonymous_bytes_ = bytes;
}

HostScratch::~HostScratch() {
  if (anonymous_bytes_ != 0) ::munmap(data_, anonymous_bytes_);
}

}  // namespace bitune
