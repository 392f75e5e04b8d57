#pragma once

/// \file
/// The state of one group of co-resident blocks while it runs: threads, warps, barriers, shared memory.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "kernels/platform/emulated/services.hpp"
#include "runtime/emulated/fibre.hpp"

namespace bitune::emulated {

class GroupRunner;

/// Memory of the emulated device is filled with this before a kernel sees it, so that what is read without
/// having been written shows.
inline constexpr unsigned char junk_byte = 0xb5;

/// What an emulated thread waits for. `nothing`: it is running or ready.
enum class Wait : std::uint8_t { nothing, block, part, warp, shuffle, cluster, bytes };

/// What the lanes of a warp do together with the values that they pass.
enum class Exchange : std::uint8_t { shuffle, sum, alike };

/// One emulated thread. It stays with its fibre; the coordinates are set anew for each group.
struct Thread : ThreadCoordinates {
  Thread(GroupRunner* owner, std::uint32_t position, Fibre::Body body, std::size_t stack_bytes)
      : runner(owner), index(position), fibre(body, this, stack_bytes, position) {}

  GroupRunner* runner;
  std::uint32_t index;           ///< in the group
  std::uint32_t warp_slot = 0;   ///< index of its warp in the group
  std::uint32_t block_slot = 0;  ///< index of its block in the group
  Wait wait = Wait::nothing;
  bool has_waited = false;  ///< for the launch before
  bool started = false;
  bool finished = true;
  // The exchange or warp barrier that it waits in:
  const void* passed = nullptr;
  void* received = nullptr;
  std::uint32_t source_lane = 0;
  std::uint32_t mask = 0;
  const unsigned long long* expected_bytes = nullptr;  ///< whose arrival it waits for
  Fibre fibre;
};

/// A barrier of the threads [first, end) of the group; complete when all `expected` have arrived.
struct Rendezvous {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t expected = 0;
  std::uint32_t arrived = 0;
};

/// A warp. All its lanes take part in an exchange; a warp barrier may name some of them.
struct Warp {
  std::uint32_t first = 0;         ///< index of lane 0 in the group
  std::uint32_t lanes = 0;         ///< fewer than the warp's size in a partial last warp
  std::uint32_t finished = 0;      ///< lanes that have returned
  std::uint32_t exchanging = 0;    ///< lanes that have arrived at the current exchange
  std::uint32_t passed_bytes = 0;  ///< that each of them passes
  Exchange exchange = Exchange::shuffle;
  std::uint32_t syncing = 0;  ///< lanes that wait at warp barriers
};

/// Dynamic shared memory of exactly the bytes that were asked for, so that the address sanitizer sees one too
/// many.
class SharedMemory {
 public:
  /// Junk again. Reuses the memory if the size is the same.
  void renew(std::uint32_t bytes) {
    if (bytes != bytes_) {
      data_.reset(bytes == 0 ? nullptr : new unsigned char[bytes]);
      bytes_ = bytes;
    }
    if (bytes != 0) std::memset(data_.get(), junk_byte, bytes);
  }

  [[nodiscard]] unsigned char* data() const { return data_.get(); }

 private:
  std::unique_ptr<unsigned char[]> data_;
  std::uint32_t bytes_ = 0;
};

}  // namespace bitune::emulated
