#pragma once

/// \file
/// A compiled kernel as plain data.

#include <string>

namespace bitune {

/// What a compiler made of a KernelSource: enough to load and launch it without compiling again.
struct KernelImage {
  std::string target;        ///< "sm_90 cubin", "compute_90 ptx", "emulated so"
  std::string lowered_name;  ///< mangled name of the entry point in the image
  std::string bytes;         ///< the cubin, PTX text or shared object
  std::string log;           ///< what the compiler said
  int registers = -1;        ///< a thread, as the compiler reported; -1: not reported
  int local_bytes = -1;      ///< stack frame (spills and indexed arrays) a thread; -1: not reported

  bool operator==(const KernelImage&) const = default;
};

}  // namespace bitune
