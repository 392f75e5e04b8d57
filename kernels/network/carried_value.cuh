#pragma once

// What goes with keys: values of a few widths, which are moved and never looked at, and indices.

#include "kernels/network/codec.cuh"

namespace bitune {

/// The type that something of `bytes` bytes is moved as. There is nothing of 0 bytes: its pointers are null.
template <int bytes>
struct CarriedValue {
  using Type = typename Storage<bytes>::Raw;
};
template <>
struct CarriedValue<0> {
  using Type = u8;
};
template <>
struct CarriedValue<16> {
  struct alignas(16) Type {
    u64 low, high;
  };
};

/// Starts to copy one value to shared memory. Before it is read: cp_async_wait_all(), and a barrier.
template <class T>
BITUNE_DEVICE void copy_to_shared(T* shared_to, const T* from) {
  if constexpr (sizeof(T) == 16) {
    cp_async_16(shared_to, from);
  } else if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    cp_async(shared_to, from);
  } else {
    *shared_to = *from;
  }
}

/// Starts to copy a row to shared memory, which is aligned to 16 bytes. Before it is read: cp_async_wait_all(), and a barrier.
template <int nt, class T>
BITUNE_DEVICE void copy_row_to_shared(const T* row, u32 length, T* shared) {
  const u32 thread = thread_index() & (nt - 1);
  const u32 bytes = length * sizeof(T);
  const u64 alignment = reinterpret_cast<u64>(row) | bytes;
  if (alignment % 16 == 0) {
    for (u32 i = thread; i < bytes / 16; i += nt) cp_async_16(reinterpret_cast<u8*>(shared) + i * 16, reinterpret_cast<const u8*>(row) + i * 16);
  } else if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    for (u32 i = thread; i < length; i += nt) cp_async(shared + i, row + i);
  } else {
    for (u32 i = thread; i < length; i += nt) shared[i] = row[i];
  }
}

}  // namespace bitune
