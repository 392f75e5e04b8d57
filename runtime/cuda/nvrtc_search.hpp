#pragma once

/// \file
/// Where NVRTC is looked for.

#include <filesystem>
#include <string>
#include <vector>

namespace bitune::cuda {

/// Names and paths of libnvrtc to try, best first. $BITUNE_NVRTC alone, if it is set. Else:
/// - the folder that the build was told of;
/// - the folders of the shared library and of the executable, with what nvrtc_beside finds there;
/// - the loader's search path, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda;
/// - the wheels in the Python environments $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local and /usr.
///
/// Files are listed as they are found now: what comes or goes makes another list.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

/// What is looked for.
struct NvrtcSearch {
  std::vector<std::string> candidates;  ///< see nvrtc_candidates
  /// CUDA major version that the driver loads code of; what is newer is taken only if there is nothing else.
  int newest_major = 0;
};

/// The search of this process. Any version will do where there is no driver.
[[nodiscard]] NvrtcSearch nvrtc_search();

/// What was installed with a folder of programs or libraries: NVRTC in that folder, and in NVIDIA's wheels
/// beside a Python package that it is part of (../../nvidia/*/lib from there).
[[nodiscard]] std::vector<std::string> nvrtc_beside(const std::filesystem::path& folder);

/// All libnvrtc.so* in a folder, the highest version first; none if there is no such folder.
[[nodiscard]] std::vector<std::string> nvrtc_in_folder(const std::string& folder);

}  // namespace bitune::cuda
