#pragma once

/// \file
/// The host's C++ compiler, which compiles kernels for the emulated device.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bitune::emulated {

/// A C++ compiler that was found and answered `--version`.
struct HostCompiler {
  std::filesystem::path path;
  std::string version;           ///< the first line that `--version` prints
  std::filesystem::path linker;  ///< the system's `ld`; empty where there is none
};

/// `$BITUNE_CXX`, else `$CXX`, else the first of c++, g++, clang++ on `$PATH`. A `$CXX` that is no single
/// executable (one with flags or a launcher, say) is passed over. Nothing if there is none. Thread-safe.
/// \throws Error (unavailable) if `$BITUNE_CXX` is set and cannot be run.
[[nodiscard]] std::optional<HostCompiler> find_host_compiler();

/// The same for people and reports: "g++ (Debian 12.2.0-14) 12.2.0 (/usr/bin/g++)"; empty if there is none.
/// Never throws for a compiler that cannot be used.
[[nodiscard]] std::string describe_host_compiler();

/// Why no kernel can be compiled, with what to do; empty if one can. No compiler is not the same as one that
/// cannot be started, as where there may be no further process.
[[nodiscard]] std::string host_compiler_problem();

/// Runs a program with an argument list (no shell) and waits for it.
struct ProcessResult {
  int exit_code = 0;   ///< 128 + the signal's number if one ended it
  std::string output;  ///< of standard output and standard error together
};
/// `changes` are those of its environment ("TMPDIR=/tmp"). \throws Error (unavailable) naming the program if
/// it cannot be started.
[[nodiscard]] ProcessResult run_process(const std::filesystem::path& program,
                                        const std::vector<std::string>& arguments,
                                        const std::vector<std::string>& changes = {});

}  // namespace bitune::emulated
