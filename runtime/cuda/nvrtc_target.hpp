#pragma once

/// \file
/// What NVRTC is asked to compile for, and what it says of the result.

#include <span>
#include <string>
#include <string_view>

namespace bitune::cuda {

/// What NVRTC compiles for.
struct Target {
  int architecture = 0;  ///< 90 for sm_90 and compute_90
  bool cubin = false;    ///< machine code of exactly this architecture; otherwise PTX, finished by the driver

  [[nodiscard]] std::string option() const;  ///< "--gpu-architecture=sm_90"
  [[nodiscard]] std::string text() const;    ///< "sm_90 cubin" or "compute_90 ptx"
};

/// The best target for a GPU of this compute capability (10 * major + minor): its own architecture as a
/// cubin, else the largest one below it as PTX. \throws Error (unavailable) if all `architectures` are above
/// it.
[[nodiscard]] Target choose_target(int compute_capability, std::span<const int> architectures,
                                   std::string_view nvrtc_version);

/// Registers and stack of one kernel.
struct KernelUse {
  int registers = -1;    ///< a thread; -1: not reported
  int local_bytes = -1;  ///< stack frame a thread; -1: not reported
};

/// Reads the report of `ptxas -v` on the kernel of this mangled name out of a log.
[[nodiscard]] KernelUse read_ptxas_report(std::string_view log, std::string_view lowered_name);

/// The log without trailing blanks and cut to a length that still reads in a terminal.
[[nodiscard]] std::string trimmed_log(std::string_view log);

}  // namespace bitune::cuda
