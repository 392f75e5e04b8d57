// One executable for all targets, which share most of what is linked. $BITUNE_FUZZ_TARGET names the target:
// not an argument, as libFuzzer starts itself again with its own arguments (-merge=1, -fork=1).

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/fuzz/target.hpp"

namespace bitune::fuzz {
namespace {

const std::map<std::string, Target, std::less<>> targets = {
    {"npy_header", npy_header},
    {"npy", npy},
    {"text", text},
    {"raw", raw},
    {"values", values},
    {"csv_records", csv_records},
    {"npy_records", npy_records},
    {"options", options},
    {"configuration", configuration},
    {"kernel_file", kernel_file},
    {"exchange", exchange},
    {"request", request},
    {"database", database},
    {"database_file", database_file},
};

Target chosen() {
  const char* name = std::getenv("BITUNE_FUZZ_TARGET");
  const auto found = targets.find(name == nullptr ? "" : name);
  if (found != targets.end()) return found->second;
  std::fputs("BITUNE_FUZZ_TARGET must name one of:", stderr);
  for (const auto& [known, target] : targets) std::fprintf(stderr, " %s", known.c_str());
  std::fputs("\n", stderr);
  std::_Exit(2);
}

}  // namespace

void require(bool holds, const char* sentence) {
  if (holds) return;
  std::fprintf(stderr, "fault: %s\n", sentence);
  std::abort();
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0, "memfd_create failed");
  require(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "a file in memory was not written whole");
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

}  // namespace bitune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bitune::fuzz::Target target = bitune::fuzz::chosen();
  target({reinterpret_cast<const char*>(data), size});
  return 0;
}
