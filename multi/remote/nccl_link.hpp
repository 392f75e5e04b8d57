#pragma once

/// \file
/// What carries bytes between the ranks of a communicator of NCCL's.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "multi/communicator.hpp"
#include "multi/rank_store.hpp"
#include "multi/remote/nccl.hpp"
#include "runtime/device.hpp"

namespace bitune::multi {

/// This process's end of a communicator that belongs to the caller. Functions wait, no longer than the time
/// limit, and throw Error (device). Whatever is thrown, the communicator is aborted before: nothing else ends
/// what NCCL has under way.
///
/// For one thread at a time; the device must outlive it.
class NcclLink {
 public:
  NcclLink(Nccl::Communicator communicator, const Device& device, std::chrono::milliseconds time_limit);

  /// The GPU of the communicator, by its number.
  [[nodiscard]] static int device_of(Nccl::Communicator communicator);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// `bytes` bytes of each rank's host to each: `all` has room for size() times as many.
  void all_gather(const void* mine, void* all, std::size_t bytes);
  /// As Communicator::all_to_all.
  void exchange(std::span<const ArrayExchange> arrays, Stream stream);

  /// As Communicator::begin_exchanges, but for the others, and end_exchanges.
  void begin(std::span<const ExchangeBeside> exchanges);
  void end();

  /// Ends what is under way. All functions fail from then on.
  void abort() noexcept;

 private:
  template <class Work>
  void guarded(const Work& work);
  template <class Condition>
  void wait_until(const Condition& condition);
  void wait_until_enqueued();
  void finish();
  [[nodiscard]] bool is_under_way();
  void enqueue_together(std::span<const ArrayExchange> arrays);
  void enqueue(const ArrayExchange& array);

  const Nccl& nccl_;
  Nccl::Communicator communicator_;  ///< null once it is aborted
  const Device& device_;
  std::chrono::milliseconds time_limit_;
  int rank_ = 0;
  int size_ = 0;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> done_;
  RankStore store_;  ///< of what all_gather brings
  std::unique_ptr<HostBuffer> host_;
};

}  // namespace bitune::multi
