#pragma once

/// \file
/// Compiles kernels for the emulated device with the host's C++ compiler.

#include <memory>
#include <string>
#include <vector>

#include "runtime/compiler.hpp"

namespace bitune::emulated {

/// A header that a kernel may include besides the embedded ones.
struct SourceFile {
  std::string path;  ///< as it is included: "kernels/warp/tile_sort.cuh"
  std::string text;
};

/// Compiles kernels into a shared object (KernelImage::bytes, target "emulated so") with an entry for each
/// that runs one thread. KernelImage::lowered_name is the name expression.
class EmulatedCompiler : public Compiler {
 public:
  /// `extra` stands beside the embedded headers and replaces those of the same path.
  explicit EmulatedCompiler(std::vector<SourceFile> extra = {});
  ~EmulatedCompiler() override;

  /// "emulated: g++ (Debian 12.2.0-14) 12.2.0 -std=c++20 ...". \throws Error (unavailable) if there is no
  /// compiler.
  [[nodiscard]] std::string identity() const override;
  using Compiler::compile;
  using Compiler::compile_all;
  /// Is not stopped once it has begun. \throws Error (compile) with the kernel's name and the log;
  /// (unavailable) if there is no compiler.
  [[nodiscard]] KernelImage compile(const KernelSource& source, const std::stop_token& stop) const override;
  /// One shared object of several: starting a compiler takes longer than a kernel does.
  [[nodiscard]] std::vector<KernelImage> compile_all(std::span<const KernelSource> sources,
                                                     const std::stop_token& stop) const override;
  [[nodiscard]] std::string digest(const KernelSource& source) const override;

 private:
  std::vector<KernelImage> compile_together(std::span<const KernelSource> sources) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bitune::emulated
