#pragma once

/// \file
/// NVRTC, opened at run time.

#include <nvrtc.h>

#include "runtime/cuda/library.hpp"
#include "runtime/cuda/nvrtc_facts.hpp"

namespace bitune::cuda {

/// The entry points of NVRTC that bitune calls, named and typed as nvrtc.h declares them.
#define BITUNE_NVRTC_FUNCTIONS(X) \
  X(nvrtcAddNameExpression)       \
  X(nvrtcCompileProgram)          \
  X(nvrtcCreateProgram)           \
  X(nvrtcDestroyProgram)          \
  X(nvrtcGetCUBIN)                \
  X(nvrtcGetCUBINSize)            \
  X(nvrtcGetErrorString)          \
  X(nvrtcGetLoweredName)          \
  X(nvrtcGetNumSupportedArchs)    \
  X(nvrtcGetPTX)                  \
  X(nvrtcGetPTXSize)              \
  X(nvrtcGetProgramLog)           \
  X(nvrtcGetProgramLogSize)       \
  X(nvrtcGetSupportedArchs)       \
  X(nvrtcVersion)

/// NVRTC as it was opened. Immutable.
struct Nvrtc {
#define BITUNE_DECLARE(name) decltype(&::name) name = nullptr;
  BITUNE_NVRTC_FUNCTIONS(BITUNE_DECLARE)
#undef BITUNE_DECLARE

  /// Makes a compilation ask, again and again, whether it shall end (with 1). Null before CUDA 12.8.
  nvrtcResult (*set_flow_callback)(nvrtcProgram, int (*)(void* payload, void*), void* payload) = nullptr;

  Library library;
  Library builtins;  ///< what NVRTC opens by name at its first compilation; not open if it is not beside it
  NvrtcFacts facts;
};

/// Opens the first library of a search that bitune can use. \throws Error (unavailable) that says where it
/// was looked for and what to do
[[nodiscard]] Nvrtc open_nvrtc(const NvrtcSearch& search);

/// The NVRTC of this process, opened on the first call (nvrtc_search.hpp says where it is looked for). One
/// that is no newer than the driver is preferred, since a driver loads no code of a newer CUDA major version.
/// \throws Error (unavailable) that says where it was looked for and what to do. Thread-safe.
[[nodiscard]] const Nvrtc& nvrtc();

}  // namespace bitune::cuda
