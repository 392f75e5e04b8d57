#pragma once

/// \file
/// NCCL, opened at run time.

#include <cstddef>
#include <string>

#include "runtime/cuda/library.hpp"

namespace bitune::multi {

/// What is used of NCCL, as its manual has it ("NCCL API"). Declared here, since its header comes with few of
/// the packages that bring CUDA's.
struct Nccl {
  using Result = int;          // ncclResult_t
  using Communicator = void*;  // ncclComm_t
  using Stream = void*;        // cudaStream_t

  static constexpr Result success = 0;
  static constexpr Result in_progress = 7;
  static constexpr int byte = 1;  // ncclUint8

  Result (*count)(Communicator, int*) = nullptr;
  Result (*user_rank)(Communicator, int*) = nullptr;
  Result (*device)(Communicator, int*) = nullptr;
  Result (*all_gather)(const void*, void*, std::size_t, int, Communicator, Stream) = nullptr;
  Result (*send)(const void*, std::size_t, int type, int peer, Communicator, Stream) = nullptr;
  Result (*receive)(void*, std::size_t, int type, int peer, Communicator, Stream) = nullptr;
  Result (*group_start)() = nullptr;
  Result (*group_end)() = nullptr;
  Result (*state)(Communicator, Result*) = nullptr;
  Result (*abort)(Communicator) = nullptr;
  const char* (*error_text)(Result) = nullptr;

  cuda::Library library;

  /// $BITUNE_NCCL, if it is set; else libnccl.so.2: the one that is loaded already, as by who made the
  /// communicator, or what the loader finds. Opened once in a process. \throws Error (unavailable)
  static const Nccl& get();

  /// \throws Error (device) that says what failed, unless it is done or under way
  void check(Result result, const char* what) const;
};

}  // namespace bitune::multi
