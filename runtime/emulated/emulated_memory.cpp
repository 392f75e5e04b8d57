#include "runtime/emulated/emulated_memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bitune/error.hpp"
#include "runtime/emulated/group_state.hpp"

namespace bitune::emulated {

Memory::Memory(std::size_t bytes)
    : data_(bytes <= most_bytes ? static_cast<std::byte*>(::operator new[](bytes, alignment, std::nothrow))
                                : nullptr),
      size_(bytes) {
  if (data_ == nullptr) {
    throw Error(
        ErrorCode::device,
        fmt::format("The emulated device has no {} bytes of memory; sort fewer keys at once.", bytes));
  }
  std::memset(data_.get(), junk_byte, bytes);
}

}  // namespace bitune::emulated
