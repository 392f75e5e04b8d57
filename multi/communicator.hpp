#pragma once

/// \file
/// What the ranks of one call tell and send each other.

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/operands.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// A part of an array in the memory of this rank's device.
struct Piece {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// One array of which every rank sends a piece to every rank, and itself one, by rank. What a rank is to
/// receive is as long as what is sent to it. Pieces may be empty.
struct ArrayExchange {
  std::vector<Piece> send;
  std::vector<Piece> receive;
};

/// An exchange that begins when this rank has passed `after`, beside what else the device does. `done` is
/// passed when this rank has what it is for, and what it sent may be overwritten.
struct ExchangeBeside {
  std::vector<ArrayExchange> arrays;
  const DeviceEvent* after = nullptr;
  DeviceEvent* done = nullptr;
};

/// Every rank calls the same functions in the same order. A call returns when this rank has what it is for.
///
/// If a rank fails, or does not come in time, all calls fail from then on, and those that wait do so at once:
/// with an Error that says which rank it was, as far as that is known.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// Whether kernels of every rank's device may read what the others have from Device::allocate, at the
  /// address that it has there. All ranks say the same.
  [[nodiscard]] virtual bool reads_directly() const noexcept { return false; }

  /// Brings `bytes` bytes of each rank to each rank, in the host's memory: `all` has room for size() * bytes.
  virtual void all_gather(const void* mine, void* all, std::size_t bytes) = 0;

  /// What is sent must be written when the work of `stream` that was enqueued before is done. Waits until the
  /// exchange is done on this rank, and what was sent may be overwritten.
  virtual void all_to_all(std::span<const ArrayExchange> arrays, Stream stream) = 0;

  /// Whether it can do the next two. All ranks say the same.
  [[nodiscard]] virtual bool exchanges_beside() const noexcept { return false; }
  /// Enqueues these exchanges, one after the other, once all ranks have come.
  virtual void begin_exchanges(std::span<const ExchangeBeside> /*exchanges*/) {}
  /// Waits until all that was begun is done on this rank.
  virtual void end_exchanges() {}

  /// Ends the work of all ranks, since this one cannot go on: the first reason counts.
  virtual void abort(ErrorCode code, const std::string& why) noexcept = 0;
};

/// One value of each rank, by rank.
template <class Value>
std::vector<Value> all_gather(Communicator& communicator, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(&mine, all.data(), sizeof(Value));
  return all;
}

}  // namespace bitune::multi
