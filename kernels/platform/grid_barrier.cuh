#pragma once

/// \file
/// One barrier of a whole cooperative launch, in memory that nobody has prepared: a part of the platform (platform.cuh).

#include "kernels/platform/platform.cuh"

namespace bitune {

#if defined(BITUNE_EMULATED)

/// See below.
struct GridBarrier {
  static constexpr u32 words = 4;

  BITUNE_DEVICE explicit GridBarrier(u64*) {}
  BITUNE_DEVICE void sync() const {
    static thread_local u32 state = 0;  // a grid's threads are fibres of one
    detail::services->sync_grid(&state);
  }
};

#else

/// A barrier of all threads of a cooperative launch, used once in it; orders global memory among them. Global memory: `words` u64
/// with any contents. The first block prepares them and says so with a number that they hold by chance once in 2^64 launches;
/// the last one to leave takes it away again.
struct GridBarrier {
  static constexpr u32 words = 4;
  static constexpr u64 ready = 0x5bd1e9955bd1e995ull;

  u64* memory;  ///< whether it is prepared; how many blocks have come; how many have left

  BITUNE_DEVICE explicit GridBarrier(u64* memory_) : memory(memory_) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      memory[1] = 0;
      memory[2] = 0;
      asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(memory)), "l"(ready) : "memory");
    }
  }

  BITUNE_DEVICE void sync() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      while (load(memory) != ready) {
      }
      arrive(memory + 1);
      while (load(memory + 1) < gridDim.x) {
      }
      if (arrive(memory + 2) + 1 == gridDim.x) memory[0] = 0;
    }
    __syncthreads();
  }

 private:
  BITUNE_DEVICE static u64 load(const u64* from) {
    u64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(from)) : "memory");
    return value;
  }

  BITUNE_DEVICE static u64 arrive(u64* counter) {
    u64 before;
    asm volatile("fence.acq_rel.gpu;\natom.add.acq_rel.gpu.global.u64 %0, [%1], 1;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(counter))
                 : "memory");
    return before;
  }
};

#endif

}  // namespace bitune
