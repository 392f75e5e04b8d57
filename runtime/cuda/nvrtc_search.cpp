#include "runtime/cuda/nvrtc_search.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>

#include "runtime/cuda/driver.hpp"
#include "runtime/own_folders.hpp"

namespace bitune::cuda {
namespace {

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

/// Names in a folder that begin like this, in a stable order; none if it cannot be read. Not by
/// std::filesystem: that takes a path apart for each of the hundreds of files beside libnvrtc, and the search
/// is part of every process's first sort.
std::vector<std::string> names_in(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  if (listing == nullptr) return names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// NVIDIA's wheels put NVRTC in <package>/lib of this folder: cu13/lib, cuda_nvrtc/lib (CUDA 12).
void append_packages(std::vector<std::string>& to, const std::string& nvidia) {
  for (const std::string& package : names_in(nvidia, "")) {
    append(to, nvrtc_in_folder(nvidia + package + "/lib"));
  }
}

/// The wheels of a Python environment lie in lib/pythonX.Y/site-packages/nvidia.
void append_wheels(std::vector<std::string>& to, const std::string& environment) {
  const std::string lib = environment + "/lib/";
  for (const std::string& python : names_in(lib, "python")) {
    for (const char* packages : {"/site-packages/nvidia/", "/dist-packages/nvidia/"}) {
      append_packages(to, lib + python + packages);
    }
  }
}

}  // namespace

std::vector<std::string> nvrtc_in_folder(const std::string& folder) {
  std::vector<std::string> names = names_in(folder, "libnvrtc.so");
  std::erase_if(names, [](const std::string& name) {
    return name != "libnvrtc.so" && !name.starts_with("libnvrtc.so.");
  });
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::make_pair(version_of(a), a) > std::make_pair(version_of(b), b);
  });
  for (std::string& name : names) name.insert(0, folder + '/');
  return names;
}

std::vector<std::string> nvrtc_beside(const std::filesystem::path& folder) {
  std::vector<std::string> found = nvrtc_in_folder(folder.string());
  append_packages(found, (folder.parent_path().parent_path() / "nvidia/").string());
  return found;
}

std::vector<std::string> nvrtc_candidates() {
  const std::string chosen = environment("BITUNE_NVRTC");
  if (!chosen.empty()) return {chosen};

  std::vector<std::string> candidates;
#ifdef BITUNE_NVRTC_HINT
  append(candidates, nvrtc_in_folder(BITUNE_NVRTC_HINT));
#endif
  for (const std::filesystem::path& folder : own_folders()) append(candidates, nvrtc_beside(folder));
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

NvrtcSearch nvrtc_search() {
  const Driver* driver = driver_if_present();
  return {nvrtc_candidates(), driver != nullptr ? driver->version / 1000 : std::numeric_limits<int>::max()};
}

}  // namespace bitune::cuda
