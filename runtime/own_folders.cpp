#include "runtime/own_folders.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <system_error>

namespace bitune {

std::vector<std::filesystem::path> own_folders() {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  const auto add = [&folders](const fs::path& file) {
    std::error_code error;
    const fs::path folder = fs::canonical(file, error).parent_path();
    if (error || std::find(folders.begin(), folders.end(), folder) != folders.end()) return;
    folders.push_back(folder);
  };
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folders), &info) != 0 && info.dli_fname != nullptr) {
    add(info.dli_fname);
  }
  add("/proc/self/exe");
  return folders;
}

}  // namespace bitune
