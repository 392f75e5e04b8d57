#pragma once

/// \file
/// Copies from other devices that go on while what came before is merged.

#include <cstdint>
#include <limits>
#include <memory>

#include "runtime/device.hpp"

namespace bitune::multi {

/// How what lies on another device comes to this one.
struct CopyRules {
  /// More bytes than there are.
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// Ranks that get so many bytes on average, of keys and what travels with them, send keys away before they
  /// sort (SplitSort). 0: all do, where the keys are for it.
  std::uint64_t split_from_bytes = std::uint64_t{2} << 30;
  /// Of two ranks that write so many bytes each, keys of four bytes cross the link as halves (KeyHalves).
  /// Then nothing is copied.
  std::uint64_t halved_from_bytes = std::uint64_t{128} << 20;
  /// Merges that write fewer bytes, of keys and what travels with them, read where the runs lie. 0: none
  /// does.
  std::uint64_t from_bytes = std::uint64_t{256} << 20;
  /// Bytes that merging a chunk writes, at least: each copy takes some time to begin.
  std::uint64_t least_chunk_bytes = std::uint64_t{64} << 20;
};

/// A stream of copies to one device, and of kernels that do what copies can't. For one thread at a time; the
/// device must outlive it.
class ChunkCopies {
 public:
  explicit ChunkCopies(const Device& device);
  ~ChunkCopies();
  ChunkCopies(const ChunkCopies&) = delete;
  ChunkCopies& operator=(const ChunkCopies&) = delete;

  /// Waits for what a call that failed has left.
  void finish() { device_.synchronize(stream()); }
  /// Later copies begin when all work of `writer` until now is done.
  void wait_for(Stream writer);
  [[nodiscard]] Stream stream() const noexcept { return stream_->handle(); }
  /// Later work of `reader` begins when all copies until now are done.
  void are_read_by(Stream reader);

 private:
  const Device& device_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> written_;
  std::unique_ptr<DeviceEvent> copied_;
};

}  // namespace bitune::multi
