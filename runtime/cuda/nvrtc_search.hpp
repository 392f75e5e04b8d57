#pragma once

/// \file
/// Where NVRTC is looked for.

#include <string>
#include <vector>

namespace bitune::cuda {

/// Names and paths of libnvrtc to try, best first:
/// $BITUNE_NVRTC alone, if it is set; else the folder that the build was told of, the folder of the
/// executable, the loader's search path, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, and the wheels of NVIDIA in
/// the Python environments $VIRTUAL_ENV, $CONDA_PREFIX, ~/.local, /usr/local and /usr.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

/// All libnvrtc.so* in a folder, the highest version first; none if there is no such folder.
[[nodiscard]] std::vector<std::string> nvrtc_in_folder(const std::string& folder);

}  // namespace bitune::cuda
