/// \file
/// The peer "bitune": the same sorts by another bitune. It is the C library at $BITUNE_PEER_LIBRARY (default:
/// that of this build) with the tuning database at $BITUNE_PEER_DB. So what two versions do, or what two
/// databases select, is compared in one process, in turn. It sorts on all devices.

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/peer_abi.h"
#include "bitune/bitune.h"
#include "bitune/operands.hpp"
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

bitune_problem problem_of(const BitunePeerProblem& asked) {
  bitune_problem problem = BITUNE_PROBLEM_INIT;
  problem.operation = static_cast<bitune_operation>(asked.operation);
  problem.key = static_cast<bitune_key_type>(asked.key_type);
  problem.value_bytes = asked.value_bytes;
  problem.index_bytes = asked.index_bytes;
  problem.order = static_cast<bitune_order>(asked.descending);
  problem.stable = static_cast<std::uint32_t>(asked.stable);
  problem.k = asked.k;
  problem.n = asked.n;
  problem.rows = asked.rows;
  problem.ragged = static_cast<std::uint32_t>(asked.ragged);
  return problem;
}

int workspace_bytes(const BitunePeerProblem* asked, std::uint64_t* bytes) {
  const int status = library().workspace(problem_of(*asked), *bytes);
  return status == BITUNE_ERROR_UNAVAILABLE ? BITUNE_PEER_NOT_BUILT_IN : status;
}

int workspace_bytes_in_place(const BitunePeerProblem* asked, std::uint64_t* bytes) {
  if (!may_be_in_place(static_cast<Operation>(asked->operation))) return BITUNE_PEER_NOT_BUILT_IN;
  return workspace_bytes(asked, bytes);
}

int sort(const BitunePeerProblem* asked, const BitunePeerOperands* given, void* stream) {
  const auto of = [given](Role role) {
    const BitunePeerOperand& operand = given->of_role[static_cast<std::size_t>(role)];
    return bitune_operand{operand.data, operand.elements, operand.stride};
  };
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_in = of(Role::keys_in);
  operands.keys_out = of(Role::keys_out);
  operands.values_in = of(Role::values_in);
  operands.values_out = of(Role::values_out);
  operands.indices_out = of(Role::indices_out);
  operands.offsets = of(Role::offsets);
  operands.lengths = of(Role::lengths);
  operands.workspace = of(Role::workspace);
  if (const bitune_operand ends = of(Role::ends); ends.data != nullptr) operands.ends = ends;
  return library().run(problem_of(*asked), operands, stream);
}

const char* error_text(int code) {
  return code == BITUNE_PEER_NOT_BUILT_IN ? "this problem is not built in" : library().fault();
}

constexpr std::array<BitunePeerMethod, 4> methods = {{{"in place", 1, 0, workspace_bytes_in_place, sort},
                                                      {"out of place", 0, 0, workspace_bytes, sort},
                                                      {"rows in place", 1, 1, workspace_bytes_in_place, sort},
                                                      {"rows out of place", 0, 1, workspace_bytes, sort}}};

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
