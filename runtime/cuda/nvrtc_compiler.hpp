#pragma once

/// \file
/// NVRTC as the compiler of a CUDA GPU. No GPU and no driver are needed to compile.

#include <memory>
#include <string>
#include <vector>

#include "runtime/compiler.hpp"

namespace bitune::cuda {

/// A device header in memory.
struct HeaderText {
  std::string path;  ///< as it is included: "kernels/network.cuh"
  std::string text;
};

/// A compiler for GPUs of this compute capability. Kernels may include the embedded headers, and those of
/// `extra_headers` (which hide embedded ones of the same path). \throws Error (unavailable) if there is no
/// NVRTC, or none for so old a GPU.
[[nodiscard]] std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor,
                                                            std::vector<HeaderText> extra_headers = {});

/// Architectures (10 * major + minor) that the NVRTC of this machine compiles for, ascending. \throws Error
/// (unavailable)
[[nodiscard]] std::vector<int> nvrtc_architectures();

/// What NVRTC this process uses.
struct NvrtcInfo {
  std::string path;
  std::string version;  ///< "13.0"
};
/// \throws Error (unavailable) that says where NVRTC was looked for and what to do
[[nodiscard]] NvrtcInfo nvrtc_info();

}  // namespace bitune::cuda
