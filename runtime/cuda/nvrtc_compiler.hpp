#pragma once

/// \file
/// NVRTC as the compiler of a CUDA GPU. No GPU and no driver are needed to compile.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/compiler.hpp"
#include "runtime/cuda/nvrtc_facts.hpp"

namespace bitune::cuda {

/// A device header in memory.
struct HeaderText {
  std::string path;  ///< as it is included: "kernels/network/network.cuh"
  std::string text;
};

/// A compiler for GPUs of this compute capability. Kernels may include the embedded headers, and those of
/// `extra_headers` (which hide embedded ones of the same path). \throws Error (unavailable) if there is no
/// NVRTC, or none for so old a GPU.
[[nodiscard]] std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor,
                                                            std::vector<HeaderText> extra_headers = {});

/// The same without looking for NVRTC before it is needed: the identity and digests ask for its facts, which
/// is when a missing one is an error. It is opened when something is compiled, and taken to be what the facts
/// say until then. If it turns out to be another, identity and digests change, and `cache` notes the new
/// facts.
[[nodiscard]] std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor,
                                                            std::function<NvrtcFacts()> find_facts,
                                                            std::shared_ptr<KernelCache> cache,
                                                            std::vector<HeaderText> extra_headers = {});

/// Facts of the NVRTC of this process, which is not opened if the cache knows them. The cache may be null.
/// \throws Error (unavailable)
[[nodiscard]] NvrtcFacts nvrtc_facts(KernelCache* cache);

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
