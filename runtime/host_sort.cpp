#include "runtime/host_sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace bitune {
namespace {

constexpr std::size_t idle_lanes = 8;
constexpr unsigned most_copy_threads = 12;

/// Copies may still be under way: they must end before the pinned buffers go. The error under way is the
/// first one: it is the one to tell.
void end_quietly(const Device& device, Stream stream) noexcept {
  try {
    device.synchronize(stream);
  } catch (const Error&) {
  }
}

/// The right to copy in one direction, until it is given back, by any thread.
class Turn {
 public:
  /// `turn`: whose; null: none is needed.
  explicit Turn(std::binary_semaphore* turn) : turn_(turn) {
    if (turn != nullptr) turn->acquire();
  }
  ~Turn() { give_back(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void give_back() noexcept {
    if (std::binary_semaphore* const turn = turn_.exchange(nullptr)) turn->release();
  }

 private:
  std::atomic<std::binary_semaphore*> turn_;
};

}  // namespace

struct HostSort::Lane {
  Lane(const Device& device, std::size_t chunk_bytes, unsigned threads)
      : stream(device.create_stream()), staging(device, chunk_bytes, threads) {
    for (auto& mark : marks) mark = device.create_event();
  }

  std::unique_ptr<DeviceStream> stream;
  HostStaging staging;
  /// Uploading begins, and ends; sorted; downloading begins, and ends. Waiting for a turn is of neither.
  std::array<std::unique_ptr<DeviceEvent>, 5> marks;
};

HostSort::HostSort(std::shared_ptr<const Device> device, std::size_t chunk_bytes, unsigned copy_threads)
    : device_(std::move(device)),
      chunk_bytes_(chunk_bytes),
      copy_threads_(copy_threads != 0
                        ? copy_threads
                        : std::clamp(std::thread::hardware_concurrency() / 2, 1U, most_copy_threads)) {}

HostSort::~HostSort() = default;

std::unique_ptr<HostSort::Lane> HostSort::take_lane() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
  }
  return std::make_unique<Lane>(*device_, chunk_bytes_, copy_threads_);
}

void HostSort::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < idle_lanes) idle_.push_back(std::move(lane));
}

HostSortTimes HostSort::run(void* keys, std::size_t bytes, const std::function<void(void*, Stream)>& sort) {
  const HostArray array{.from = {{keys, bytes}}, .to = {{keys, bytes}}, .bytes = bytes};
  return run(std::span(&array, 1),
             [&](std::span<void* const> memory, Stream stream) { sort(memory[0], stream); });
}

HostSortTimes HostSort::run(std::span<const HostArray> arrays,
                            const std::function<void(std::span<void* const>, Stream)>& sort,
                            const HostReading& reading) {
  HostSortTimes times;
  // Lanes are kept, and outlive the contexts of the application.
  device_->in_own_context([&] { times = run_in_lane(arrays, sort, reading); });
  return times;
}

HostSortTimes HostSort::run_in_lane(std::span<const HostArray> arrays,
                                    const std::function<void(std::span<void* const>, Stream)>& sort,
                                    const HostReading& reading) {
  const auto begin = std::chrono::steady_clock::now();
  auto lane = take_lane();
  const Stream stream = lane->stream->handle();
  HostSortTimes times;
  try {
    std::vector<std::unique_ptr<DeviceBuffer>> buffers;
    std::vector<void*> memory;
    std::size_t most_bytes = 0;
    for (const HostArray& array : arrays) {
      buffers.push_back(device_->allocate_async(array.bytes, stream));
      memory.push_back(buffers.back()->data());
      most_bytes = std::max(most_bytes, array.bytes);
    }
    const bool takes_turns = lane->staging.threads_for(most_bytes) > 1;
    if (reading.begins) reading.begins();
    {
      const Turn turn(takes_turns ? &upload_turn_ : nullptr);
      device_->record(*lane->marks[0], stream);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (!arrays[i].from.empty()) lane->staging.upload(memory[i], arrays[i].from, arrays[i].bytes, stream);
      }
      device_->record(*lane->marks[1], stream);
    }
    if (reading.ends) reading.ends();
    sort(memory, stream);
    device_->record(*lane->marks[2], stream);
    if (takes_turns) device_->synchronize(stream);  // whoever has the turn copies
    {
      Turn turn(takes_turns ? &download_turn_ : nullptr);
      auto left = std::count_if(arrays.begin(), arrays.end(),
                                [](const HostArray& array) { return !array.to.empty(); });
      device_->record(*lane->marks[3], stream);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].to.empty()) continue;
        // The bus is free for the next run while the last chunks are written to where they belong.
        const bool is_last = --left == 0;
        lane->staging.download(arrays[i].to, memory[i], arrays[i].bytes, stream, [&] {
          if (is_last) turn.give_back();
        });
      }
      device_->record(*lane->marks[4], stream);
    }
    const auto microseconds = [&](std::size_t from) {
      return 1000 * device_->elapsed_ms(*lane->marks[from], *lane->marks[from + 1]);
    };
    times.host_to_device_us = microseconds(0);
    times.kernels_us = microseconds(1);
    times.device_to_host_us = microseconds(3);
  } catch (...) {
    end_quietly(*device_, stream);
    throw;
  }
  give_back(std::move(lane));
  times.total_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  return times;
}

}  // namespace bitune
