#pragma once

/// \file
/// Copies from other devices that go on while what came before is merged.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace bitune::multi {

/// When a merge copies what lies on another device before it reads it, and how much at once.
struct CopyRules {
  /// Merges that write fewer bytes, of keys and what travels with them, read where the runs lie. 0: none
  /// does.
  std::uint64_t from_bytes = std::uint64_t{256} << 20;
  /// Bytes that merging a chunk writes, at least: each copy takes some time to begin.
  std::uint64_t least_chunk_bytes = std::uint64_t{64} << 20;
};

/// Copies to one device, in two streams: between two copies of a stream the link waits some 10 us, which the
/// other stream uses. So the parts of a copy are of different lengths, and the streams take turns with the
/// longer one. For one thread at a time; the device must outlive it.
class ChunkCopies {
 public:
  explicit ChunkCopies(const Device& device);
  ~ChunkCopies();
  ChunkCopies(const ChunkCopies&) = delete;
  ChunkCopies& operator=(const ChunkCopies&) = delete;

  /// Waits for what a call that failed has left.
  void begin();
  /// Enqueues it, behind nothing but earlier copies.
  void copy(void* to, const void* from, std::size_t bytes);
  /// Later work of `reader` begins when all copies until now are done. The next ones are another chunk's.
  void are_read_by(Stream reader);

  /// Memory of the host that the device may write to, for so many numbers.
  [[nodiscard]] std::uint64_t* numbers(std::size_t count);

 private:
  struct Lane {
    std::unique_ptr<DeviceStream> stream;
    std::unique_ptr<DeviceEvent> copied;
  };

  const Device& device_;
  std::array<Lane, 2> lanes_;
  std::size_t shorter_ = 0;  ///< the lane that gets the shorter part
  std::unique_ptr<HostBuffer> numbers_;
};

}  // namespace bitune::multi
