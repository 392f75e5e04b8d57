#include "runtime/emulated/emulated_memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bitune/error.hpp"
#include "runtime/emulated/group_state.hpp"

namespace bitune::emulated {

Memory::Memory(std::size_t bytes)
    : data_(static_cast<std::byte*>(::operator new[](bytes, alignment, std::nothrow))), size_(bytes) {
  if (data_ == nullptr) {
    throw Error(
        ErrorCode::device,
        fmt::format("The emulated device has no {} bytes of memory left; sort fewer keys at once.", bytes));
  }
  std::memset(data_.get(), junk_byte, bytes);
}

}  // namespace bitune::emulated
