/// \file
/// The peer "bitune": the same sorts by another bitune. It is the C library at $BITUNE_PEER_LIBRARY (default:
/// that of this build) with the tuning database at $BITUNE_PEER_DB. So what two versions do, or what two
/// databases select, is compared in one process, in turn. It sorts on all devices.

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/peer_abi.hpp"
#include "bitune/bitune.h"
#include "model/c_structs.hpp"
#include "model/operation.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

constexpr int no_library = 1000;  // beyond every status of the library

std::string text_of_variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// The library beside this module's folder, where builds and installations have it.
std::string usual_library() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return (executable.parent_path().parent_path() / "lib" / "libbitune.so").string();
}

/// The library's functions, and a sorter of the device.
class Library {
 public:
  int open(const char* device) {
    std::string path = text_of_variable("BITUNE_PEER_LIBRARY");
    if (path.empty()) path = usual_library();
    void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr || !find(opened)) {
      const char* const why = dlerror();
      fault_ = why == nullptr ? path + " is no bitune library" : why;
      return no_library;
    }
    database_ = text_of_variable("BITUNE_PEER_DB");
    bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
    options.device = device;
    options.database = database_.c_str();
    return create_(&options, &sorter_);
  }

  /// With the best configuration prepared: another one may stand in for it where a run is the first.
  int workspace(const bitune_problem& problem, std::uint64_t& bytes) const {
    const int status = prepare_(sorter_, &problem);
    return status != 0 ? status : size_(sorter_, &problem, &bytes);
  }
  int run(const bitune_problem& problem, const bitune_operands& operands, void* stream) const {
    return run_(sorter_, &problem, &operands, stream);
  }
  const char* fault() const { return error_ == nullptr || !fault_.empty() ? fault_.c_str() : error_(); }
  const char* version() const { return version_ == nullptr ? "" : version_(); }

 private:
  bool find(void* opened) {
    const auto get = [opened](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
      return function != nullptr;
    };
    return get(create_, "bitune_sorter_create") && get(prepare_, "bitune_prepare") &&
           get(size_, "bitune_workspace_size") && get(run_, "bitune_run") &&
           get(error_, "bitune_last_error") && get(version_, "bitune_version");
  }

  decltype(&bitune_sorter_create) create_ = nullptr;
  decltype(&bitune_prepare) prepare_ = nullptr;
  decltype(&bitune_workspace_size) size_ = nullptr;
  decltype(&bitune_run) run_ = nullptr;
  decltype(&bitune_last_error) error_ = nullptr;
  decltype(&bitune_version) version_ = nullptr;
  bitune_sorter* sorter_ = nullptr;
  std::string database_;
  std::string fault_;
};

/// Open until the process ends, as the module may be closed while the library's threads run.
Library& library() {
  static Library& opened = *new Library;
  return opened;
}

int workspace_bytes(const Problem* asked, std::uint64_t* bytes) {
  const int status = library().workspace(c_struct_of(*asked), *bytes);
  return status == BITUNE_ERROR_UNAVAILABLE ? BITUNE_PEER_NOT_BUILT_IN : status;
}

int workspace_bytes_in_place(const Problem* asked, std::uint64_t* bytes) {
  if (!may_be_in_place(asked->operation)) return BITUNE_PEER_NOT_BUILT_IN;
  return workspace_bytes(asked, bytes);
}

int sort(const Problem* asked, const Operands* given, void* stream) {
  return library().run(c_struct_of(*asked), c_struct_of(*given), stream);
}

const char* error_text(int code) {
  return code == BITUNE_PEER_NOT_BUILT_IN ? "this problem is not built in" : library().fault();
}

constexpr std::array<BitunePeerMethod, 4> methods = {
    {{"in place", 1, 0, 0, workspace_bytes_in_place, sort},
     {"out of place", 0, 0, 0, workspace_bytes, sort},
     {"rows in place", 1, 1, 0, workspace_bytes_in_place, sort},
     {"rows out of place", 0, 1, 0, workspace_bytes, sort}}};

}  // namespace
}  // namespace bitune

extern "C" __attribute__((visibility("default"))) const BitunePeer* bitune_peer() {
  static BitunePeer peer = {BITUNE_PEER_ABI,
                            "bitune",
                            "",
                            nullptr,
                            bitune::error_text,
                            [](const char* uuid) {
                              const int code = bitune::library().open(uuid);
                              if (code == 0) peer.version = bitune::library().version();
                              return code;
                            },
                            static_cast<int>(bitune::methods.size()),
                            bitune::methods.data()};
  return &peer;
}
