#pragma once

/// \file
/// One GPU and the context that work on it runs in.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "bitune/error.hpp"
#include "runtime/cuda/driver.hpp"

namespace bitune::cuda {

/// One GPU: what all handles made on it share and keep alive. Thread-safe.
class Context {
 public:
  /// `description` names the GPU in errors.
  Context(const Driver& driver, int ordinal, std::string description);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] const Driver& driver() const noexcept { return driver_; }
  [[nodiscard]] CUdevice device() const noexcept { return device_; }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }

  /// The primary context, retained on the first call. \throws Error (device), also if the application has
  /// reset the GPU since then: all that was made in that context is gone.
  [[nodiscard]] CUcontext primary();

  /// Whether what was made in the primary context is still there to be released.
  [[nodiscard]] bool holds() noexcept;

  /// The pool that stream-ordered allocations come from, made on the first call; null if the GPU has no
  /// pools. It is not the device's default pool, whose settings belong to the application. \throws Error
  /// (device)
  [[nodiscard]] CUmemoryPool pool();

  /// Whether the stream is being captured into a graph. \throws Error (device)
  [[nodiscard]] bool is_capturing(CUstream stream);

  /// \throws Error (device) unless `result` is success. `function` is the driver's function, `about` what it
  /// was called for ("kernel f", "1024 bytes"), or empty.
  void check(CUresult result, const char* function, const std::string& about = {}) {
    if (result != CUDA_SUCCESS) fail(result, function, about);
  }
  [[noreturn]] void fail(CUresult result, const char* function, const std::string& about);

  /// Whether an error was seen after which the context can do no more work.
  [[nodiscard]] bool is_lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

 private:
  const Driver& driver_;
  CUdevice device_ = 0;
  std::string description_;
  std::atomic<bool> lost_ = false;
  void require_not_reset();

  std::mutex mutex_;  // guards what is below while it is made
  CUcontext primary_ = nullptr;
  unsigned long long primary_id_ = 0;  ///< no other context of this process has it
  CUmemoryPool pool_ = nullptr;
};

/// Which context of the GPU.
enum class Wanted {
  current_or_primary,  ///< the one that is current on this thread, if it is of this GPU, else the primary one
  primary,
};

/// For its lifetime a context of the GPU is current on this thread.
class ContextScope {
 public:
  explicit ContextScope(Context& context, Wanted wanted = Wanted::current_or_primary);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
  bool pushed_ = false;
};

/// Runs `release` in a context of the GPU, for destructors: what fails there has nobody to tell. A lost
/// context has already said so, and took what it held with it, as a reset does.
template <class Release>
void release_quietly(Context& context, Release release) noexcept {
  try {
    if (!context.holds()) return;
    const ContextScope scope(context);
    release();
  } catch (const Error&) {
  }
}

/// The work for another thread: it has the primary context, since another one may be destroyed by then, and
/// what it calls disturbs no stream that is being captured elsewhere.
[[nodiscard]] std::function<void()> for_other_thread(std::shared_ptr<Context> context,
                                                     std::function<void()> work);

/// The ordinal of the GPU whose context is current on this thread; -1 if none is.
[[nodiscard]] int current_ordinal(const Driver& driver) noexcept;

}  // namespace bitune::cuda
