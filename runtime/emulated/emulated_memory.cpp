#include "runtime/emulated/emulated_memory.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bitune/error.hpp"
#include "runtime/emulated/group_state.hpp"

namespace bitune::emulated {

Memory::Memory(std::size_t bytes)
    : data_(static_cast<std::byte*>(::operator new[](bytes, alignment, std::nothrow))), size_(bytes) {
  if (data_ == nullptr) throw_no_memory(bytes);
  std::memset(data_.get(), junk_byte, bytes);
}

void throw_no_memory(std::size_t bytes) {
  throw Error(ErrorCode::out_of_resources,
              fmt::format("The emulated device has no {} bytes of memory; sort fewer keys at once.", bytes));
}

}  // namespace bitune::emulated
