#include "runtime/cuda/nvrtc_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

namespace bitune::cuda {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Version numbers behind "libnvrtc.so": {12, 2} for libnvrtc.so.12.2, none for libnvrtc.so.
std::vector<int> version_of(std::string_view file_name) {
  std::vector<int> numbers;
  for (const char c : file_name.substr(std::string_view("libnvrtc.so").size())) {
    if (c == '.') {
      numbers.push_back(0);
    } else if (c >= '0' && c <= '9' && !numbers.empty()) {
      numbers.back() = numbers.back() * 10 + (c - '0');
    }
  }
  return numbers;
}

/// Folders below `folder`, in a stable order; none if it cannot be read.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory(ignored)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// NVIDIA's wheels put NVRTC in <environment>/lib/pythonX.Y/site-packages/nvidia/<package>/lib.
void append_wheels(std::vector<std::string>& to, const fs::path& environment) {
  for (const fs::path& python : folders_in(environment / "lib")) {
    if (!python.filename().string().starts_with("python")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const fs::path& package : folders_in(python / packages / "nvidia")) {
        append(to, nvrtc_in_folder((package / "lib").string()));
      }
    }
  }
}

}  // namespace

std::vector<std::string> nvrtc_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name == "libnvrtc.so" || name.starts_with("libnvrtc.so.")) names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::make_pair(version_of(a), a) > std::make_pair(version_of(b), b);
  });
  for (std::string& name : names) name = (fs::path(folder) / name).string();
  return names;
}

std::vector<std::string> nvrtc_candidates() {
  const std::string chosen = environment("BITUNE_NVRTC");
  if (!chosen.empty()) return {chosen};

  std::vector<std::string> candidates;
#ifdef BITUNE_NVRTC_HINT
  append(candidates, nvrtc_in_folder(BITUNE_NVRTC_HINT));
#endif
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  if (!ignored) append(candidates, nvrtc_in_folder(executable.parent_path().string()));

  append(candidates, {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});

  for (const std::string& toolkit :
       {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (toolkit.empty()) continue;
    append(candidates, nvrtc_in_folder(toolkit + "/lib64"));
    append(candidates, nvrtc_in_folder(toolkit + "/lib"));
  }

  const std::string home = environment("HOME");
  for (const std::string& python :
       {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX"), home.empty() ? home : home + "/.local",
        std::string("/usr/local"), std::string("/usr")}) {
    if (python.empty()) continue;
    append_wheels(candidates, python);
  }
  const std::string conda = environment("CONDA_PREFIX");
  if (!conda.empty()) append(candidates, nvrtc_in_folder(conda + "/lib"));
  return candidates;
}

}  // namespace bitune::cuda
