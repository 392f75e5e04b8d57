#include "runtime/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/cuda/nvrtc_search.hpp"

namespace bitune::cuda {
namespace {

constexpr int lowest_major = 12;  // the first that compiles C++20

/// Why candidates were passed over, by name.
using Refusals = std::vector<std::string>;

std::optional<Nvrtc> try_to_open(const std::string& name, Refusals& refusals) {
  std::string problem;
  Nvrtc found;
  found.library = Library::open(name, &problem);
  if (!found.library.is_open()) {
    refusals.push_back(std::move(problem));
    return std::nullopt;
  }
  std::vector<std::string> missing;
#define BITUNE_RESOLVE(function) resolve(found.library, BITUNE_SYMBOL(function), found.function, missing);
  BITUNE_NVRTC_FUNCTIONS(BITUNE_RESOLVE)
#undef BITUNE_RESOLVE
  if (!missing.empty()) {
    refusals.push_back(fmt::format("{} is no NVRTC that bitune can use: it has no {}", found.library.path(),
                                   fmt::join(missing, ", ")));
    return std::nullopt;
  }
  found.set_flow_callback =
      reinterpret_cast<decltype(found.set_flow_callback)>(found.library.symbol("nvrtcSetFlowCallback"));
  int count = 0;
  if (found.nvrtcVersion(&found.facts.major, &found.facts.minor) != NVRTC_SUCCESS ||
      found.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS) {
    refusals.push_back(fmt::format("{} does not tell its version", found.library.path()));
    return std::nullopt;
  }
  if (found.facts.major < lowest_major) {
    refusals.push_back(fmt::format("{} is NVRTC {}, which does not compile C++20", found.library.path(),
                                   found.facts.version()));
    return std::nullopt;
  }
  // NVRTC finds this one by the folder that it lies in itself, unless a sanitizer stands between it and the
  // loader; what is loaded already is found by its name alone.
  const std::filesystem::path folder = std::filesystem::path(found.library.path()).parent_path();
  found.builtins =
      Library::open((folder / fmt::format("libnvrtc-builtins.so.{}", found.facts.version())).string());
  std::vector<int>& architectures = found.facts.architectures;
  architectures.resize(static_cast<std::size_t>(count));
  if (found.nvrtcGetSupportedArchs(architectures.data()) != NVRTC_SUCCESS) architectures.clear();
  std::sort(architectures.begin(), architectures.end());
  found.facts.path = found.library.path();
  found.facts.build_id = found.library.build_id();
  return found;
}

}  // namespace

Nvrtc open_nvrtc(const NvrtcSearch& search) {
  std::optional<Nvrtc> newer_than_driver;
  Refusals refusals;
  for (const std::string& name : search.candidates) {
    std::optional<Nvrtc> found = try_to_open(name, refusals);
    if (!found) continue;
    if (found->facts.major <= search.newest_major) return std::move(*found);
    if (!newer_than_driver) newer_than_driver = std::move(found);
  }
  if (newer_than_driver) return std::move(*newer_than_driver);

  if (std::getenv("BITUNE_NVRTC") != nullptr) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format(
            "BITUNE_NVRTC names no usable NVRTC: {}; give the full path of a libnvrtc.so of CUDA 12 or newer",
            fmt::join(refusals, "; ")));
  }
  throw Error(
      ErrorCode::unavailable,
      fmt::format(
          "NVRTC (libnvrtc.so of CUDA 12 or newer) was not found: {}; also looked in $CUDA_HOME, $CUDA_PATH, "
          "/usr/local/cuda and the Python environments; install the CUDA toolkit or the wheel "
          "nvidia-cuda-nvrtc, or set BITUNE_NVRTC to the full path of the library",
          fmt::join(refusals, "; ")));
}

const Nvrtc& nvrtc() {
  // Never destroyed: compile workers may still be inside NVRTC when the process exits.
  static const Nvrtc& found = *new Nvrtc(open_nvrtc(nvrtc_search()));
  return found;
}

}  // namespace bitune::cuda
