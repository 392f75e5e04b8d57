#include "runtime/host_staging.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include "runtime/at_once.hpp"

namespace bitune {
namespace {

constexpr std::size_t smallest_buffer = std::size_t{64} << 10;
constexpr std::size_t chunks_per_thread = 2;  // at least: fewer are copied before another thread has begun
constexpr std::size_t slices_per_chunk = 16;
/// A bus takes about as long for a slice as this; to sleep and to be woken takes longer.
constexpr int most_yields = 256;

/// Calls work(data, at, size) for what lies in each piece of `bytes` bytes of all pieces, from `begin` on:
/// `at` counts from there.
template <class Piece, class Work>
void for_pieces(std::span<const Piece> pieces, std::size_t begin, std::size_t bytes, const Work& work) {
  std::size_t at = 0;
  for (const Piece& piece : pieces) {
    if (at == bytes) return;
    if (begin >= piece.bytes) {
      begin -= piece.bytes;
      continue;
    }
    const std::size_t size = std::min(bytes - at, piece.bytes - begin);
    using Byte = std::conditional_t<std::is_same_v<Piece, HostPiece>, const std::byte, std::byte>;
    work(static_cast<Byte*>(piece.data) + begin, at, size);
    at += size;
    begin = 0;
  }
}

template <class Piece>
bool are_page_locked(const Device& device, std::span<const Piece> pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return device.is_page_locked(piece.data, piece.bytes); });
}

}  // namespace

HostStaging::HostStaging(const Device& device, std::size_t chunk_bytes, unsigned threads)
    : device_(device), chunk_bytes_(std::max<std::size_t>(chunk_bytes, 1)), threads_(threads) {
  for (Slot& slot : slots_) slot.copied = device.create_event();
}

unsigned HostStaging::threads_for(std::size_t bytes) const noexcept {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(bytes / (chunk_bytes_ * chunks_per_thread), 1, threads_));
}

std::size_t HostStaging::chunk_of(std::size_t bytes) const noexcept {
  return std::clamp(bytes / slots + 1, std::max<std::size_t>(chunk_bytes_ / 8, 1), chunk_bytes_);
}

void HostStaging::reserve(std::size_t chunks, std::size_t bytes) {
  const std::size_t size = std::max(smallest_buffer, std::bit_ceil(bytes));
  for (std::size_t i = 0; i < std::min(slots, chunks); ++i) {
    Slot& slot = slots_[i];
    if (slot.buffer && slot.buffer->size() >= size) continue;
    if (slot.in_use) static_cast<void>(device_.elapsed_ms(*slot.copied, *slot.copied));
    slot.buffer.reset();
    slot.buffer = device_.allocate_host(size);
  }
}

void HostStaging::pass(Way way, std::size_t bytes,
                       const std::function<void(std::byte*, std::size_t, std::size_t)>& copy,
                       const std::function<void(std::byte*, std::size_t, std::size_t)>& send, Stream stream,
                       const std::function<void()>& sent) {
  const std::size_t chunk_bytes = chunk_of(bytes);
  const std::size_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
  reserve(chunks, std::min(chunk_bytes, bytes));
  const unsigned threads = threads_for(bytes);
  const std::size_t slices = threads == 1 ? 1 : slices_per_chunk;
  const auto size_of_chunk = [&](std::size_t i) { return std::min(chunk_bytes, bytes - i * chunk_bytes); };
  std::atomic<std::size_t> unsent = chunks;
  const auto send_chunk = [&](std::size_t i) {
    Slot& slot = slots_[i % slots];
    send(slot.buffer->data(), i * chunk_bytes, size_of_chunk(i));
    device_.record(*slot.copied, stream);
    slot.in_use = true;
    {
      const std::lock_guard lock(mutex_);
      slot.sent = i + 1;
      changed_.notify_all();
    }
    if (--unsent == 0) sent();  // the last chunk may be sent before others
  };
  const auto await = [&](const std::atomic<std::size_t>& chunk, std::size_t wanted) {
    const auto is_there = [&] { return failed_ || chunk >= wanted; };
    for (int i = 0; i < most_yields && !is_there(); ++i) std::this_thread::yield();
    if (!is_there()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, is_there);
    }
    return !failed_;
  };
  // The first slice of a chunk waits for the bus, the others for it.
  const auto do_slice = [&](std::size_t chunk, std::size_t slice) {
    Slot& slot = slots_[chunk % slots];
    if (slice > 0) {
      if (!await(slot.ready, chunk + 1)) return;
    } else {
      const std::size_t filled_before = chunk >= slots ? chunk + 1 - slots : 0;
      if (!await(slot.sent, way == Way::down ? chunk + 1 : filled_before)) return;
      if (slot.in_use) static_cast<void>(device_.elapsed_ms(*slot.copied, *slot.copied));
      slot.left = slices;
      const std::lock_guard lock(mutex_);
      slot.ready = chunk + 1;
      changed_.notify_all();
    }
    const std::size_t begin = size_of_chunk(chunk) * slice / slices;
    const std::size_t end = size_of_chunk(chunk) * (slice + 1) / slices;
    copy(slot.buffer->data() + begin, chunk * chunk_bytes + begin, end - begin);
    if (--slot.left > 0) return;
    const std::size_t next = way == Way::up ? chunk : chunk + slots;
    if (next < chunks) send_chunk(next);
  };

  failed_ = false;
  for (Slot& slot : slots_) slot.sent = slot.ready = 0;
  if (way == Way::down) {
    for (std::size_t i = 0; i < std::min(chunks, slots); ++i) send_chunk(i);
  }
  // Slices are taken in order: who waits, waits for such as others have begun.
  at_once(chunks * slices, threads, [&](std::uint64_t i) {
    try {
      do_slice(i / slices, i % slices);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  });
}

void HostStaging::upload(void* to, std::span<const HostPiece> from, std::size_t bytes, Stream stream) {
  auto* const on_device = static_cast<std::byte*>(to);
  if (are_page_locked(device_, from)) {
    for_pieces(from, 0, bytes, [&](const std::byte* data, std::size_t at, std::size_t size) {
      device_.copy_to_device(on_device + at, data, size, stream);
    });
    device_.synchronize(stream);
    return;
  }
  pass(
      Way::up, bytes,
      [&](std::byte* buffer, std::size_t begin, std::size_t size) {
        for_pieces(from, begin, size, [&](const std::byte* data, std::size_t at, std::size_t count) {
          std::memcpy(buffer + at, data, count);
        });
      },
      [&](const std::byte* buffer, std::size_t begin, std::size_t size) {
        device_.copy_to_device(on_device + begin, buffer, size, stream);
      },
      stream, [] {});
}

void HostStaging::download(std::span<const HostRoom> to, const void* from, std::size_t bytes, Stream stream,
                           const std::function<void()>& sent) {
  const auto* const on_device = static_cast<const std::byte*>(from);
  if (are_page_locked(device_, to)) {
    for_pieces(to, 0, bytes, [&](std::byte* data, std::size_t at, std::size_t size) {
      device_.copy_to_host(data, on_device + at, size, stream);
    });
    device_.synchronize(stream);
    sent();
    return;
  }
  pass(
      Way::down, bytes,
      [&](const std::byte* buffer, std::size_t begin, std::size_t size) {
        for_pieces(to, begin, size, [&](std::byte* data, std::size_t at, std::size_t count) {
          std::memcpy(data, buffer + at, count);
        });
      },
      [&](std::byte* buffer, std::size_t begin, std::size_t size) {
        device_.copy_to_host(buffer, on_device + begin, size, stream);
      },
      stream, sent);
}

}  // namespace bitune
