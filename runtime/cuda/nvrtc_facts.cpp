#include "runtime/cuda/nvrtc_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <sstream>

#include "cache/kernel_cache.hpp"
#include "model/digest.hpp"

namespace bitune::cuda {
namespace {

/// What changes when a file is written or replaced; empty if there is none.
std::string stamp_of(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return {};
  // The time of the last change of status cannot be set back, as a copy that preserves times does with the
  // other.
  return fmt::format("{} {} {}.{:09} {}.{:09}", file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

/// Folders in which the loader looks for a library by name, besides those of its cache.
std::vector<std::string> loader_folders() {
  std::vector<std::string> folders;
  void* program = dlopen(nullptr, RTLD_LAZY);
  if (program == nullptr) return folders;
  Dl_serinfo size{};
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
    auto* paths = reinterpret_cast<Dl_serinfo*>(memory.data());
    *paths = size;
    if (dlinfo(program, RTLD_DI_SERINFO, paths) == 0) {
      for (unsigned i = 0; i < paths->dls_cnt; ++i) folders.emplace_back(paths->dls_serpath[i].dls_name);
    }
  }
  dlclose(program);
  return folders;
}

/// Names all that the outcome of a search depends on.
std::string key_of(const NvrtcSearch& search) {
  Digest key;
  key.add("NVRTC").add(std::to_string(search.newest_major)).add(stamp_of("/etc/ld.so.cache"));
  std::optional<std::vector<std::string>> folders;
  const auto add = [&key](const std::string& path) { key.add(path).add(stamp_of(path)); };
  for (const std::string& candidate : search.candidates) {
    if (candidate.find('/') != std::string::npos) {
      add(candidate);
      continue;
    }
    key.add(candidate);
    if (!folders) folders = loader_folders();
    for (const std::string& folder : *folders) add(fmt::format("{}/{}", folder, candidate));
  }
  return key.hex();
}

/// A line each: path, stamp, version, build id, architectures.
std::string text_of(const NvrtcFacts& facts) {
  return fmt::format("{}\n{}\n{} {}\n{}\n{}\n", facts.path, stamp_of(facts.path), facts.major, facts.minor,
                     facts.build_id, fmt::join(facts.architectures, " "));
}

/// Nothing if the file that the note is about is another one by now: a loader finds files where the key does
/// not look.
std::optional<NvrtcFacts> facts_in(const std::string& note) {
  std::istringstream lines(note);
  NvrtcFacts facts;
  std::string stamp;
  std::string version;
  std::string architectures;
  for (std::string* line : {&facts.path, &stamp, &version, &facts.build_id, &architectures}) {
    if (!std::getline(lines, *line)) return std::nullopt;
  }
  if (stamp.empty() || stamp != stamp_of(facts.path)) return std::nullopt;
  if (!(std::istringstream(version) >> facts.major >> facts.minor)) return std::nullopt;
  std::istringstream numbers(architectures);
  for (int number = 0; numbers >> number;) facts.architectures.push_back(number);
  return facts;
}

void note(KernelCache& cache, const std::string& key, const NvrtcFacts& facts) {
  const std::string text = text_of(facts);
  if (facts_in(text) == facts) cache.store_note(key, text);  // a path may hold anything, even a line's end
}

}  // namespace

std::string NvrtcFacts::version() const { return fmt::format("{}.{}", major, minor); }

NvrtcFacts known_nvrtc(KernelCache& cache, const NvrtcSearch& search,
                       const std::function<NvrtcFacts()>& open) {
  const std::string key = key_of(search);
  if (const auto text = cache.find_note(key)) {
    if (auto facts = facts_in(*text)) return std::move(*facts);
  }
  NvrtcFacts facts = open();
  if (key_of(search) == key) note(cache, key, facts);  // else a file was replaced meanwhile
  return facts;
}

void note_nvrtc(KernelCache& cache, const NvrtcSearch& search, const NvrtcFacts& facts) noexcept {
  try {
    note(cache, key_of(search), facts);
  } catch (const std::exception&) {  // it only saves time
  }
}

}  // namespace bitune::cuda
