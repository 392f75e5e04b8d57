#include "runtime/open_engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "cache/tuning_database.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

void add_note(std::string& notes, const std::string& sentence) {
  if (!notes.empty() && !sentence.empty()) notes += "; ";
  notes += sentence;
}

/// A default place, or nothing where the environment names none (no HOME): sorting works without.
template <class Find>
fs::path place(const std::string& given, Find find, std::string& note) {
  if (!given.empty()) return given;
  try {
    return find();
  } catch (const Error& error) {
    add_note(note, error.what());
    return {};
  }
}

/// Null where there is no folder for it.
std::shared_ptr<KernelCache> open_cache(const fs::path& directory, std::string& note) {
  if (directory.empty()) return nullptr;
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || ::access(directory.c_str(), W_OK | X_OK) != 0) {
    add_note(
        note,
        fmt::format("kernels are compiled anew by each process, as the kernel cache '{}' cannot be written",
                    directory.string()));
  }
  return std::make_shared<KernelCache>(directory);
}

/// Null where no tunings are shipped.
std::shared_ptr<const KernelArchive> shipped_kernels() {
  const auto tunings = shipped_database_path();
  return tunings ? std::make_shared<const KernelArchive>(kernels_beside(*tunings)) : nullptr;
}

/// How long a first sort waits for the best. Most kernels of short arrays are compiled by then, and others
/// are worth their stand-in.
constexpr std::chrono::milliseconds patience{250};

bool compiles_first(const SorterOptions& options, const Device& device) {
  if (const char* asked = std::getenv("BITUNE_STAND_INS"); asked != nullptr && *asked != '\0') {
    return std::string_view(asked) == "0";
  }
  // The emulated device's compiler takes as long for small kernels as for large ones.
  return !options.stand_ins || device.info().kind != "cuda";
}

/// Bytes that a call on host arrays may take; 0: what is free.
std::uint64_t device_memory(const SorterOptions& options) {
  if (options.device_memory != 0) return options.device_memory;
  const char* asked = std::getenv("BITUNE_DEVICE_MEMORY");
  if (asked == nullptr || *asked == '\0') return 0;
  try {
    return parse_size(asked);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, fmt::format("BITUNE_DEVICE_MEMORY: {}", error.what()));
  }
}

}  // namespace

OpenedEngine open_engine(const SorterOptions& options, CandidateReader instead) {
  std::string note;
  std::string cache_note;
  auto cache =
      open_cache(place(options.kernel_cache, KernelCache::default_directory, cache_note), cache_note);
  auto device = open_device(options.device, &note, cache);
  add_note(note, cache_note);
  CandidateReader reader = std::move(instead);
  if (!reader) {
    reader = [database = place(options.database, TuningDatabase::default_path, note)](const Problem& problem,
                                                                                      std::string* warning) {
      return read_candidates(problem, database, warning);
    };
  }
  Preparation how;
  how.shipped_kernels = shipped_kernels();
  if (!compiles_first(options, *device)) how.patience = patience;
  OpenedEngine opened{device, cache, how.shipped_kernels, nullptr, reader};
  opened.engine = std::make_unique<SortEngine>(
      std::move(device), std::move(cache), std::move(reader), variants(), std::move(note), std::move(how),
      HostLimits{device_memory(options), options.progress, options.scratch_folder});
  return opened;
}

}  // namespace bitune
