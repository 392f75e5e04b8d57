#include "runtime/parts/host_scratch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "bitune/error.hpp"

namespace bitune {

HostScratch::HostScratch(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
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
}

HostScratch::~HostScratch() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace bitune
