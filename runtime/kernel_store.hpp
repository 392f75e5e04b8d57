#pragma once

/// \file
/// Kernels by source, from memory, what is shipped, the kernel cache, or the compiler, in that order.

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "cache/kernel_archive.hpp"
#include "cache/kernel_cache.hpp"
#include "model/plan.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// Where a kernel came from.
enum class KernelOrigin { memory, cache, shipped, compiled };

/// A kernel ready to launch, with where it came from and what that took.
struct StoredKernel {
  std::shared_ptr<LoadedKernel> kernel;
  KernelOrigin origin = KernelOrigin::memory;          ///< this time
  KernelOrigin first_origin = KernelOrigin::compiled;  ///< when it came into this process: never memory
  double compile_ms = 0;                               ///< 0 unless compiled
};

/// There is no memory on the device for the code of a kernel, and so none for that of another one.
class NoMemoryForCode : public Error {
 public:
  explicit NoMemoryForCode(const std::string& sentence) : Error(ErrorCode::out_of_resources, sentence) {}
};

/// The kernels of one device. Thread-safe; two threads that ask for one kernel compile it once.
class KernelStore {
 public:
  /// `cache` may be null: then kernels live in memory only. `shipped` may be null, too.
  KernelStore(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
              std::shared_ptr<const KernelArchive> shipped = nullptr);
  ~KernelStore();

  /// The loaded kernel. \throws Error (compile, device), NoMemoryForCode
  [[nodiscard]] StoredKernel get(const KernelSource& source);

  /// The loaded kernel, if that takes no compiler: nothing for one that is being compiled by another thread.
  /// \throws Error (device) if the device is lost, NoMemoryForCode
  [[nodiscard]] std::optional<StoredKernel> find(const KernelSource& source);

  /// Only makes sure that the image is there, without touching the device: for compile
  /// workers. Returns the image. \throws Error (compile), also if it was asked to stop
  [[nodiscard]] KernelImage image(const KernelSource& source, KernelOrigin* origin = nullptr,
                                  const std::stop_token& stop = {});

  /// The same for kernels that are wanted together: what must be compiled is compiled at once. Returns where
  /// each came from. \throws Error (compile)
  std::vector<KernelOrigin> make_images(std::span<const KernelSource> sources,
                                        const std::stop_token& stop = {});

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A plan bound to its loaded kernels: launching it costs the launches and nothing else.
class ExecutablePlan {
 public:
  /// \throws Error (out_of_resources) where a launch needs more than the device has
  ExecutablePlan(const Device& device, Plan plan, std::vector<std::shared_ptr<LoadedKernel>> kernels);

  /// Enqueues all launches. The workspace must have plan().workspace_bytes; rows have one stride in input and
  /// output, and input in other memory is for plans that sort out of place. Thread-safe: it changes nothing.
  void run(const Operands& operands, Stream stream) const;

  /// The same for a call of this shape, of those that the plan is for: where one serves a class of problems.
  void run(const Shape& shape, const Operands& operands, Stream stream) const;

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const std::vector<std::shared_ptr<LoadedKernel>>& kernels() const noexcept {
    return kernels_;
  }

 private:
  void launch_all(const Shape* shape, const Operands& operands, Stream stream) const;

  const Device* device_;
  Plan plan_;
  std::vector<std::shared_ptr<LoadedKernel>> kernels_;
};

/// Where the kernels of a plan came from.
struct KernelCounts {
  int compiled = 0;  ///< now
  int shipped = 0;   ///< when they came into this process
  int cached = 0;    ///< likewise
};

/// Gets all kernels of a plan from the store and binds them. `counts`, if given, receives where they came
/// from. \throws Error (compile, device, out_of_resources, unavailable)
[[nodiscard]] ExecutablePlan make_executable(const Device& device, KernelStore& store, Plan plan,
                                             KernelCounts* counts = nullptr);

/// The same, or nothing if one of the kernels must be compiled. \throws Error (device, out_of_resources)
[[nodiscard]] std::optional<ExecutablePlan> make_executable_if_ready(const Device& device, KernelStore& store,
                                                                     const Plan& plan,
                                                                     KernelCounts* counts = nullptr);

}  // namespace bitune
