#pragma once

/// \file
/// A device: memory, streams, kernels. CUDA GPUs and the emulated device look the same from here.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/operands.hpp"
#include "model/clock.hpp"
#include "model/device_info.hpp"
#include "model/kernel_image.hpp"
#include "model/plan.hpp"
#include "runtime/compiler.hpp"

namespace bitune {

class KernelCache;

/// Device memory owned by this object; freed (stream-ordered where it was so allocated) on destruction.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
};

/// Page-locked host memory (plain memory on the emulated device).
class HostBuffer {
 public:
  virtual ~HostBuffer() = default;
  [[nodiscard]] virtual std::byte* data() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
};

/// A point in a stream's time.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
};

/// A stream owned by this object.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  [[nodiscard]] virtual Stream handle() const noexcept = 0;
};

/// Work that was captured and is launched as a whole, as often as wanted: a CUDA graph. Two launches of one
/// graph never run at the same time.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;
  /// Enqueues one launch. \throws Error (device)
  virtual void launch(Stream stream) const = 0;
};

/// The most arguments that a kernel takes.
inline constexpr std::size_t max_kernel_arguments = 20;

/// What a loaded kernel uses. Threads and shared memory are limits to check before a launch.
struct KernelResources {
  int registers = 0;
  int local_bytes = 0;
  std::int64_t static_shared_bytes = 0;
  int max_threads_per_block = 1024;
};

/// A kernel that is ready to launch.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  [[nodiscard]] virtual const KernelResources& resources() const noexcept = 0;
};

/// A device.
///
/// Thread safety: all functions may be called from several threads. Errors are Error (device) that name the
/// device and the kernel. CUDA work runs in the context that is current on the calling thread, else in the
/// primary context of this device. No function synchronises unless it says so.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const noexcept = 0;
  [[nodiscard]] virtual const DeviceSoftware& software() const noexcept = 0;
  [[nodiscard]] virtual const Compiler& compiler() const noexcept = 0;

  /// Makes a compiled kernel ready. Dynamic shared memory up to the opt-in limit is allowed.
  [[nodiscard]] virtual std::shared_ptr<LoadedKernel> load(const KernelImage& image) const = 0;

  /// Enqueues one launch of a kernel that this device loaded. `arguments` are resolved: one 8-byte slot an
  /// argument (a pointer, a u64, or a u32 in the low half), at most max_kernel_arguments.
  virtual void launch(const LoadedKernel& kernel, const Launch& launch,
                      std::span<const std::uint64_t> arguments, Stream stream) const = 0;

  /// What keeps a launch from ever starting on this device, that its facts don't tell: a share of a GPU may
  /// hold no cluster of more blocks than the portable size. A clause for people; empty where nothing does.
  [[nodiscard]] virtual std::string missing_resource([[maybe_unused]] const LoadedKernel& kernel,
                                                     [[maybe_unused]] const Launch& launch) const {
    return {};
  }

  /// Bytes of device memory that nobody has taken, at this moment.
  [[nodiscard]] virtual std::uint64_t free_memory() const {
    return static_cast<std::uint64_t>(info().memory_bytes);
  }
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) const = 0;
  /// Stream-ordered: usable by later work in the stream, and freed in its order. Where the stream is being
  /// captured, the memory becomes the graph's. \throws Error (capture) there, if the device has no pools of
  /// memory.
  [[nodiscard]] virtual std::unique_ptr<DeviceBuffer> allocate_async(std::size_t bytes,
                                                                     Stream stream) const = 0;
  [[nodiscard]] virtual std::unique_ptr<HostBuffer> allocate_host(std::size_t bytes) const = 0;

  /// Whether all of this memory of the host is page-locked, by whomever: the device copies from and to it by
  /// itself.
  [[nodiscard]] virtual bool is_page_locked([[maybe_unused]] const void* data,
                                            [[maybe_unused]] std::size_t bytes) const {
    return false;
  }

  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) const = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, Stream stream) const = 0;
  /// Copies what is in the memory of another device of this kind, which may be this one, to this one's.
  /// Directly, where the two reach each other's memory.
  virtual void copy_from_peer(void* to, [[maybe_unused]] const Device& peer, const void* from,
                              std::size_t bytes, Stream stream) const {
    copy_on_device(to, from, bytes, stream);
  }
  /// Whether kernels of this device, launched by threads that for_other_thread made, may read what such
  /// threads have from allocate() of the other device. Makes it so where that is possible. \throws Error
  /// (device)
  [[nodiscard]] virtual bool reaches(const Device& peer) const { return &peer == this; }
  /// What this device reads that memory over: "itself", "nvlink", "pcie", or "host" where it does not reach
  /// it.
  [[nodiscard]] virtual std::string_view link_to(const Device& peer) const {
    return &peer == this ? "itself" : "host";
  }
  /// Copies `rows` rows of `row_bytes` bytes. In either array a row begins so many bytes behind the one
  /// before. What lies between rows is neither read nor written.
  virtual void copy_rows_on_device(void* to, std::uint64_t to_stride, const void* from,
                                   std::uint64_t from_stride, std::size_t row_bytes, std::uint64_t rows,
                                   Stream stream) const = 0;
  virtual void fill(void* to, std::uint8_t value, std::size_t bytes, Stream stream) const = 0;
  /// Fills `row_bytes` bytes of each of `rows` rows, which begin `stride` bytes apart.
  virtual void fill_rows(void* to, std::uint64_t stride, std::uint8_t value, std::size_t row_bytes,
                         std::uint64_t rows, Stream stream) const {
    for (std::uint64_t row = 0; row < rows; ++row) {
      fill(static_cast<std::byte*>(to) + row * stride, value, row_bytes, stream);
    }
  }

  [[nodiscard]] virtual std::unique_ptr<DeviceStream> create_stream() const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceEvent> create_event() const = 0;
  virtual void record(DeviceEvent& event, Stream stream) const = 0;
  /// Later work of the stream begins when the work before the event, as it was recorded last, has ended.
  /// Where all work ends before the call that enqueues it returns, nothing is left to do.
  virtual void wait_for([[maybe_unused]] const DeviceEvent& event, [[maybe_unused]] Stream stream) const {}
  /// Whether the work that was queued before the event has ended. Does not wait.
  [[nodiscard]] virtual bool has_passed(const DeviceEvent& event) const = 0;
  /// Waits for `end`, then returns the time from `begin` to it in milliseconds.
  [[nodiscard]] virtual double elapsed_ms(const DeviceEvent& begin, const DeviceEvent& end) const = 0;

  /// Waits for all work of the stream. \throws Error (device) if any of it failed.
  virtual void synchronize(Stream stream) const = 0;

  /// Whether the stream is being captured into a graph (then nothing may be compiled or loaded).
  [[nodiscard]] virtual bool is_capturing(Stream stream) const = 0;

  /// The work as another thread may do it: with the context that is current on this thread, and beside
  /// streams that are being captured elsewhere.
  [[nodiscard]] virtual std::function<void()> for_other_thread(std::function<void()> work) const {
    return work;
  }

  /// Makes a graph of what `enqueue` enqueues in the stream, which may be in use by nobody else; nothing of
  /// it runs. Waits until the graph is on the device, so that its first launch is like the others. Null where
  /// there are no graphs (the emulated device). \throws Error (device), and what `enqueue` throws
  [[nodiscard]] virtual std::unique_ptr<DeviceGraph> capture(
      [[maybe_unused]] Stream stream, [[maybe_unused]] const std::function<void()>& enqueue) const {
    return nullptr;
  }

  /// Does this work in a context that no application destroys: what it makes, and keeps beyond the work, is
  /// of that context, whatever context is current on the calling thread.
  virtual void in_own_context(const std::function<void()>& work) const { work(); }

  /// Whether an error was seen after which the device can do no more work in this process (an illegal
  /// address, a launch that timed out): all later calls would fail, and only a new process can go on.
  [[nodiscard]] virtual bool is_lost() const noexcept { return false; }

  /// The clock at this moment, and what holds it down; nothing where nobody tells (no NVML, the emulated
  /// device). It takes the host up to milliseconds, and the device's work is not disturbed.
  [[nodiscard]] virtual std::optional<ClockReading> read_clock() const { return std::nullopt; }

  /// "NVIDIA H200 (sm_90, GPU 0)" or "emulated device": for messages.
  [[nodiscard]] virtual std::string describe() const = 0;
};

/// How a device was found, or why there is none: what `bitune devices` prints.
struct DeviceReport {
  std::string driver_library;  ///< path of libcuda that was opened; empty if none
  std::string driver_version;  ///< "CUDA 13.0"
  std::string nvrtc_library;   ///< path of libnvrtc; empty if none
  std::string nvrtc_version;   ///< "13.0"
  std::string
      host_compiler;  ///< "g++ 12.2.0 (/usr/bin/g++)", what the emulated device compiles with; empty if none
  std::vector<std::string> problems;  ///< what is missing, a sentence each, with what to do
  struct Entry {
    std::string selector;  ///< what `--device` takes: "0", "1", "emulated"
    DeviceInfo info;
    DeviceSoftware software;
  };
  std::vector<Entry> devices;  ///< GPUs first, the emulated device last
};

/// Looks for devices. Never throws for a missing driver, NVRTC or GPU: they are in `problems`.
[[nodiscard]] DeviceReport find_devices();

/// Opens a device by selector: an index ("0"), a UUID or its unambiguous beginning ("GPU-5a..."), "emulated",
/// or "auto" (the current CUDA device, else GPU 0, else the emulated device). `reason`, if given, receives a
/// sentence that says why "auto" took the device it did; empty for other selectors. \throws Error
/// (unavailable) that says what was looked for, where, and what to do; Error (usage) for a selector of none
/// of these forms. A GPU needs no NVRTC before a kernel must be compiled. It keeps in `cache`, if given, what
/// has to be known of NVRTC, and opens that only to compile.
[[nodiscard]] std::shared_ptr<Device> open_device(const std::string& selector, std::string* reason = nullptr,
                                                  const std::shared_ptr<KernelCache>& cache = nullptr);

}  // namespace bitune
