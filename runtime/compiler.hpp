#pragma once

/// \file
/// The compiler of a device: turns a KernelSource into a KernelImage.

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/kernel_image.hpp"
#include "model/plan.hpp"

namespace bitune {

/// Compiles kernels for one target. Implementations: NVRTC for CUDA, the host's C++ compiler for the emulated
/// device.
///
/// Thread safety: `compile`, `compile_all` and `digest` may be called from several threads at once. No GPU is
/// needed.
class Compiler {
 public:
  virtual ~Compiler() = default;

  /// Build of the compiler and target: "nvrtc 13.0 sm_90 cubin". Part of every digest.
  [[nodiscard]] virtual std::string identity() const = 0;

  /// Opens what `compile` opens when it is first called. A handler of the process's end that is registered
  /// after it may wait for a compilation. \throws Error (unavailable) if it is missing
  virtual void open() const {}

  /// Compiles one kernel. When that is asked to stop, it may end early. \throws Error (compile) with the
  /// kernel's name and the compiler's log, or that it was stopped.
  [[nodiscard]] virtual KernelImage compile(const KernelSource& source,
                                            const std::stop_token& stop) const = 0;
  [[nodiscard]] KernelImage compile(const KernelSource& source) const { return compile(source, {}); }

  /// Compiles kernels that are wanted at once, each as `compile` does: here on all cores.
  [[nodiscard]] virtual std::vector<KernelImage> compile_all(std::span<const KernelSource> sources,
                                                             const std::stop_token& stop) const;
  [[nodiscard]] std::vector<KernelImage> compile_all(std::span<const KernelSource> sources) const {
    return compile_all(sources, {});
  }

  /// Digest of all that goes into the image: root text, embedded headers, options, identity. A compiler that
  /// is opened at its first `compile` may turn out then to be another build than it was remembered to be:
  /// this and the identity are of the new one from then on.
  [[nodiscard]] virtual std::string digest(const KernelSource& source) const = 0;

  /// Under which key an archive of shipped kernels has this one: a digest of the target and of what the
  /// kernel says, the same for each build of the compiler. Empty where kernels are not shipped.
  [[nodiscard]] virtual std::string archive_key([[maybe_unused]] const KernelSource& source) const {
    return {};
  }
};

}  // namespace bitune
