#pragma once

/// \file
/// What NVRTC tells of itself, known without opening it.

#include <functional>
#include <string>
#include <vector>

#include "runtime/cuda/nvrtc_search.hpp"

namespace bitune {
class KernelCache;
}

namespace bitune::cuda {

/// What decides for which target NVRTC compiles, and under which digest the kernel cache keeps the result.
struct NvrtcFacts {
  std::string path;  ///< of the library's file, symbolic links resolved
  int major = 0;
  int minor = 0;
  std::string build_id;  ///< see Library::build_id
  std::vector<int>
      architectures;  ///< 10 * major + minor of each compute capability it compiles for, ascending

  [[nodiscard]] std::string version() const;  ///< "13.0"
  bool operator==(const NvrtcFacts&) const = default;
};

/// Facts of the NVRTC that a search finds, without searching: from a note in the cache. It holds as long as
/// no file changes that the search may come by: each has the size, the times and the inode that it had.
/// Otherwise `open` is called, and what it returns is noted. Thread-safe if `open` is. \throws what `open`
/// throws
[[nodiscard]] NvrtcFacts known_nvrtc(KernelCache& cache, const NvrtcSearch& search,
                                     const std::function<NvrtcFacts()>& open);

/// Notes what a search found, in place of what was noted before. Never throws.
void note_nvrtc(KernelCache& cache, const NvrtcSearch& search, const NvrtcFacts& facts) noexcept;

}  // namespace bitune::cuda
