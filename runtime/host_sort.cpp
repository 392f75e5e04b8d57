#include "runtime/host_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/at_once.hpp"

namespace bitune {
namespace {

constexpr std::size_t slots_per_lane = 2;
/// Page-locked memory takes milliseconds to come by: it is kept for all threads that copied.
constexpr std::size_t idle_lanes = 32;
constexpr unsigned most_copy_threads = 8;
constexpr std::size_t chunks_per_thread = 4;  // at least: fewer are copied before another thread has begun
constexpr std::size_t smallest_buffer = std::size_t{64} << 10;

struct Slot {
  std::unique_ptr<HostBuffer> buffer;
  std::unique_ptr<DeviceEvent> copied;  ///< the last copy from or to the buffer has ended
};

/// Copies may still be under way: they must end before the pinned buffers go. The error under way is the
/// first one: it is the one to tell.
void end_quietly(const Device& device, Stream stream) noexcept {
  try {
    device.synchronize(stream);
  } catch (const Error&) {
  }
}

/// Reads pieces one behind the other, from a byte of them all on.
class PieceReader {
 public:
  PieceReader(std::span<const HostPiece> pieces, std::size_t begin) : pieces_(pieces), done_(begin) {
    for (; !pieces_.empty() && done_ >= pieces_.front().bytes; pieces_ = pieces_.subspan(1)) {
      done_ -= pieces_.front().bytes;
    }
  }

  /// Precondition: there are so many bytes left.
  void read(std::byte* to, std::size_t bytes) {
    while (bytes > 0) {
      const HostPiece& piece = pieces_.front();
      const std::size_t size = std::min(bytes, piece.bytes - done_);
      std::memcpy(to, static_cast<const std::byte*>(piece.data) + done_, size);
      to += size;
      bytes -= size;
      done_ += size;
      if (done_ == piece.bytes) {
        pieces_ = pieces_.subspan(1);
        done_ = 0;
      }
    }
  }

 private:
  std::span<const HostPiece> pieces_;
  std::size_t done_;  ///< bytes of the first piece
};

}  // namespace

struct HostSort::Lane {
  explicit Lane(const Device& device) : stream(device.create_stream()) {
    for (Slot& slot : slots) slot.copied = device.create_event();
    for (auto& mark : marks) mark = device.create_event();
  }

  /// Makes the first `count` buffers at least this large. Only between runs: no copy may be under way.
  void reserve(const Device& device, std::size_t count, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i) {
      if (slots[i].buffer && slots[i].buffer->size() >= bytes) continue;
      slots[i].buffer.reset();
      slots[i].buffer = device.allocate_host(std::max(smallest_buffer, std::bit_ceil(bytes)));
    }
  }

  std::unique_ptr<DeviceStream> stream;
  std::array<Slot, slots_per_lane> slots;
  /// Uploading begins, and ends; sorted; downloading begins, and ends. Waiting for a turn is of neither.
  std::array<std::unique_ptr<DeviceEvent>, 5> marks;
};

HostSort::HostSort(std::shared_ptr<const Device> device, std::size_t chunk_bytes, unsigned copy_threads)
    : device_(std::move(device)),
      chunk_bytes_(std::max<std::size_t>(chunk_bytes, 1)),
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
  return std::make_unique<Lane>(*device_);
}

void HostSort::give_back(std::unique_ptr<Lane> lane) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < idle_lanes) idle_.push_back(std::move(lane));
}

void HostSort::upload(Lane& lane, void* to, const HostArray& from, std::size_t begin, std::size_t bytes,
                      std::size_t& chunks) const {
  const Stream stream = lane.stream->handle();
  PieceReader reader(from.from, begin);
  for (std::size_t offset = begin; offset < begin + bytes; offset += chunk_bytes_, ++chunks) {
    const std::size_t size = std::min(chunk_bytes_, begin + bytes - offset);
    Slot& slot = lane.slots[chunks % slots_per_lane];
    // Waits for the copy that used this buffer two chunks ago; the other buffer's copy runs on meanwhile.
    if (chunks >= slots_per_lane) static_cast<void>(device_->elapsed_ms(*slot.copied, *slot.copied));
    reader.read(slot.buffer->data(), size);
    device_->copy_to_device(static_cast<std::byte*>(to) + offset, slot.buffer->data(), size, stream);
    device_->record(*slot.copied, stream);
  }
}

void HostSort::download(Lane& lane, std::byte* to, const void* from, std::size_t bytes) const {
  const Stream stream = lane.stream->handle();
  const std::size_t chunks = (bytes + chunk_bytes_ - 1) / chunk_bytes_;
  const auto size_of_chunk = [&](std::size_t i) { return std::min(chunk_bytes_, bytes - i * chunk_bytes_); };
  const auto enqueue = [&](std::size_t i) {
    Slot& slot = lane.slots[i % slots_per_lane];
    device_->copy_to_host(slot.buffer->data(), static_cast<const std::byte*>(from) + i * chunk_bytes_,
                          size_of_chunk(i), stream);
    device_->record(*slot.copied, stream);
    if (i + 1 == chunks) device_->record(*lane.marks[4], stream);
  };
  for (std::size_t i = 0; i < std::min(chunks, slots_per_lane); ++i) enqueue(i);
  for (std::size_t i = 0; i < chunks; ++i) {
    Slot& slot = lane.slots[i % slots_per_lane];
    static_cast<void>(device_->elapsed_ms(*slot.copied, *slot.copied));
    std::memcpy(to + i * chunk_bytes_, slot.buffer->data(), size_of_chunk(i));
    if (i + slots_per_lane < chunks) enqueue(i + slots_per_lane);
  }
}

unsigned HostSort::copies_of(std::size_t bytes) const noexcept {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(bytes / (chunk_bytes_ * chunks_per_thread), 1, copy_threads_));
}

void HostSort::copy_at_once(std::size_t bytes,
                            const std::function<void(Lane&, std::size_t, std::size_t)>& copy) {
  const std::size_t copies = copies_of(bytes);
  const std::size_t share = (bytes / copies / chunk_bytes_ + 1) * chunk_bytes_;
  at_once(copies, copies, [&](std::uint64_t i) {
    const std::size_t begin = i * share;
    if (begin >= bytes) return;
    device_->in_own_context([&] {
      auto lane = take_lane();
      lane->reserve(*device_, slots_per_lane, chunk_bytes_);
      const Stream stream = lane->stream->handle();
      try {
        copy(*lane, begin, std::min(share, bytes - begin));
        device_->synchronize(stream);
      } catch (...) {
        end_quietly(*device_, stream);
        throw;
      }
      give_back(std::move(lane));
    });
  });
}

void HostSort::upload_at_once(void* to, const HostArray& from) {
  copy_at_once(from.bytes, [&](Lane& lane, std::size_t begin, std::size_t size) {
    std::size_t chunks = 0;
    upload(lane, to, from, begin, size, chunks);
  });
}

void HostSort::download_at_once(std::byte* to, const void* from, std::size_t bytes) {
  copy_at_once(bytes, [&](Lane& lane, std::size_t begin, std::size_t size) {
    download(lane, to + begin, static_cast<const std::byte*>(from) + begin, size);
  });
}

HostSortTimes HostSort::run(void* keys, std::size_t bytes, const std::function<void(void*, Stream)>& sort) {
  const HostArray array{.from = {{keys, bytes}}, .to = keys, .bytes = bytes};
  return run(std::span(&array, 1),
             [&](std::span<void* const> memory, Stream stream) { sort(memory[0], stream); });
}

HostSortTimes HostSort::run(std::span<const HostArray> arrays,
                            const std::function<void(std::span<void* const>, Stream)>& sort) {
  HostSortTimes times;
  // Lanes are kept, and outlive the contexts of the application.
  device_->in_own_context([&] { times = run_in_lane(arrays, sort); });
  return times;
}

HostSortTimes HostSort::run_in_lane(std::span<const HostArray> arrays,
                                    const std::function<void(std::span<void* const>, Stream)>& sort) {
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
    const bool is_one_chunk = arrays.size() == 1 && most_bytes <= chunk_bytes_;
    lane->reserve(*device_, is_one_chunk ? 1 : slots_per_lane, std::min(most_bytes, chunk_bytes_));
    const bool at_once = copies_of(most_bytes) > 1;
    const auto turn_of = [&](std::mutex& turn) {
      return at_once ? std::unique_lock(turn) : std::unique_lock<std::mutex>();
    };
    if (at_once) device_->synchronize(stream);  // other streams write to this memory
    {
      const auto turn = turn_of(upload_turn_);
      device_->record(*lane->marks[0], stream);
      std::size_t chunks = 0;
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].from.empty()) continue;
        if (at_once) {
          upload_at_once(memory[i], arrays[i]);
        } else {
          upload(*lane, memory[i], arrays[i], 0, arrays[i].bytes, chunks);
        }
      }
      device_->record(*lane->marks[1], stream);
    }
    sort(memory, stream);
    device_->record(*lane->marks[2], stream);
    if (at_once) device_->synchronize(stream);  // other streams read what was sorted
    {
      const auto turn = turn_of(download_turn_);
      device_->record(*lane->marks[3], stream);
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].to == nullptr) continue;
        auto* const to = static_cast<std::byte*>(arrays[i].to);
        if (at_once) {
          download_at_once(to, memory[i], arrays[i].bytes);
        } else {
          download(*lane, to, memory[i], arrays[i].bytes);
        }
      }
      if (at_once) device_->record(*lane->marks[4], stream);
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
