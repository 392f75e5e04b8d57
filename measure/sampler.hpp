#pragma once

/// \file
/// How a sort is timed: the one protocol of the tuner and of the bench.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/call_image.hpp"
#include "model/clock.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// A way to sort. `sort` enqueues it and allocates nothing. The operands are in place where `in_place` is.
struct Contestant {
  std::string name;
  bool in_place = true;
  std::function<void(const Operands& operands, Stream stream)> sort;
  std::size_t launches = 0;  ///< that one sort enqueues; 0: not known
  /// What is to be done once for each buffer before its sorts are timed, where they are for that very memory,
  /// as CUDA graphs are. May be called again for the same memory; may be empty.
  std::function<void(const Operands& operands)> bind = {};
  bool any_order = false;  ///< a top_k that takes any of equal keys, and leaves what it takes in any order
};

/// Where the arrays of one call lie in device memory.
struct CallMemory {
  void* input = nullptr;    ///< an image of the input: what is read
  void* written = nullptr;  ///< what lies behind the input in an image: what is only written
  void* copies = nullptr;   ///< an image of what is written out of place; may be null where nothing is
};

/// Where the arrays of samples come from, in device memory.
struct SampledCall {
  /// One array of the call. What is read lies in the images; what is only written lies behind them.
  struct Array {
    CallArray array;
    Operand operand;         ///< elements and stride; `data` is not looked at
    std::size_t offset = 0;  ///< of the first element, in an image that goes on behind the input
  };
  std::vector<Array> arrays;
  std::vector<const void*> images;  ///< of the input, at least one: what sorts begin with, in turn
  std::size_t input_bytes = 0;      ///< of an image
  std::size_t bytes = 0;            ///< with what is only written
  void* work = nullptr;  ///< memory for so many bytes, for samples of one sort; null: the sampler's own

  /// All arrays of a layout.
  [[nodiscard]] static SampledCall of(const CallLayout& layout, std::vector<const void*> images, void* work);

  /// What a contestant is given. In place an array that is read and written is the operand of both roles.
  [[nodiscard]] Operands operands(bool in_place, const CallMemory& memory) const;
  /// Whether a contestant out of place writes other memory for anything that it reads.
  [[nodiscard]] bool has_copies() const;
};

/// How many images of so many bytes samples take turns with, of those that are wanted: as many as a quarter
/// of the L2 holds, so that what is to be sorted stays in it too, and one on the emulated device.
[[nodiscard]] int images_in_turn(const Device& device, std::uint64_t bytes, int wanted);

/// Takes samples on one device, of any operation. In place keys and values are sorted where they are; what
/// is only written, and what a contestant out of place writes, has memory of its own, which all buffers
/// share.
///
/// A sample is the device time between two events around k sorts of k buffers, divided by k. k is as many
/// sorts as take 200 us, but at most 16, at most 512 launches, and no more buffers than half of the L2 holds
/// (warm) and an eighth of the device's memory. All buffers, keys and values, are restored before every
/// sample, outside the events, each from the next image: how long some sorts take depends on the keys. Where
/// launches are shorter than the host takes to queue them, each sample waits behind a kernel that passes time
/// until it is queued as a whole: no gaps between launches are measured, unless the sort makes them itself.
/// If the host has become slower, a sample may begin before that. It does not count, and those after it wait
/// for twice as long, up to eight times. Where all were late all the same, the sort waits for the device
/// itself, and all count; so they do after 256 late ones. Before the first sample the contestant sorts twice,
/// not held: modules that are loaded at their first launch would wait for the stream, and the stream for
/// them. Up to 8 samples are queued between two synchronisations, in which the device's clock is looked at.
/// Warm: the restored keys are in the L2 as far as they fit. Cold: a buffer of twice the L2 is overwritten
/// between restoring and sorting.
///
/// The emulated device has none of these effects and is slow: there a sample is one sort, and nothing warms
/// up.
///
/// Thread-confined. Memory is kept for the next contestant.
class Sampler {
 public:
  /// Both must outlive it.
  Sampler(const Device& device, KernelStore& kernels) : device_(device), kernels_(kernels) {}

  /// The most samples between two synchronisations.
  static constexpr std::size_t most_queued_samples = 8;

  /// One contestant's way of being sampled. The contestant must outlive it.
  struct Setup {
    const Contestant* contestant = nullptr;
    SampledCall call;
    Stream stream = nullptr;
    bool cold_l2 = false;
    std::uint32_t group = 1;       ///< sorts a sample
    std::uint64_t hold_steps = 0;  ///< 0: the stream is not held
    std::size_t next_image = 0;    ///< index
    int lengthened = 0;            ///< how often the hold proved too short
    std::size_t late = 0;          ///< samples that began before they were queued, and do not count
    bool was_in_time = false;      ///< whether any did not
    bool counts_all = false;       ///< nobody looks for late samples any more
  };

  /// Warms up and finds how to sample. \throws Error (device, compile)
  [[nodiscard]] Setup prepare(const Contestant& contestant, const SampledCall& call, bool cold_l2,
                              Stream stream);

  /// Takes `count` samples, microseconds for one sort each, and adds them to `samples_us`; what the clock was
  /// meanwhile is added to `clock`. \throws Error (device)
  void take(Setup& setup, std::size_t count, std::vector<double>& samples_us, ClockSummary& clock);

 private:
  [[nodiscard]] void* buffer(const Setup& setup, std::uint32_t index) const;
  void reserve(const Setup& setup);
  /// What the sort of the buffer with this number is given.
  [[nodiscard]] Operands operands_of(const Setup& setup, std::uint32_t index) const;
  void bind(const Setup& setup) const;
  /// Queues one sample between the events with this number; returns the host's time for it in microseconds.
  double queue_sample(Setup& setup, std::size_t index);
  /// May take fewer: those that began before they were queued as a whole do not count.
  void take_batch(Setup& setup, std::size_t count, std::vector<double>& samples_us, ClockSummary& clock);
  [[nodiscard]] std::uint32_t group_for(const Setup& setup, double sort_us) const;
  [[nodiscard]] std::uint64_t hold_steps_for(const Setup& setup, double sort_us, double queue_us);
  void hold(std::uint64_t steps, Stream stream) const;
  [[nodiscard]] double hold_steps_per_us(Stream stream);

  struct EventPair {
    std::unique_ptr<DeviceEvent> begin;
    std::unique_ptr<DeviceEvent> end;
  };

  const Device& device_;
  KernelStore& kernels_;
  std::vector<EventPair> events_;
  std::unique_ptr<DeviceBuffer> buffers_;
  std::unique_ptr<DeviceBuffer> out_;
  std::unique_ptr<DeviceBuffer> flush_;
  std::shared_ptr<LoadedKernel> hold_kernel_;
  std::unique_ptr<DeviceBuffer> hold_sink_;
  double hold_steps_per_us_ = 0;  ///< 0: not calibrated yet
};

/// Whether times of this device are no times of kernels: then few are taken.
[[nodiscard]] bool is_emulated(const Device& device);

}  // namespace bitune
