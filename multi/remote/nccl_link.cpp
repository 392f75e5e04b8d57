#include "multi/remote/nccl_link.hpp"

#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "bitune/error.hpp"
#include "multi/rank_plan.hpp"

namespace bitune::multi {
namespace {

/// What comes within microseconds is looked for without a pause.
constexpr int looks_before_pause = 2000;
constexpr std::chrono::microseconds pause{20};

}  // namespace

NcclLink::NcclLink(Nccl::Communicator communicator, const Device& device,
                   std::chrono::milliseconds time_limit)
    : nccl_(Nccl::get()),
      communicator_(communicator),
      device_(device),
      time_limit_(time_limit),
      stream_(device.create_stream()),
      done_(device.create_event()),
      store_(device) {
  nccl_.check(nccl_.user_rank(communicator, &rank_), "ncclCommUserRank");
  nccl_.check(nccl_.count(communicator, &size_), "ncclCommCount");
}

int NcclLink::device_of(Nccl::Communicator communicator) {
  int device = 0;
  Nccl::get().check(Nccl::get().device(communicator, &device), "ncclCommCuDevice");
  return device;
}

void NcclLink::all_gather(const void* mine, void* all, std::size_t bytes) {
  guarded([&] {
    const std::size_t all_bytes = static_cast<std::size_t>(size_) * bytes;
    const std::size_t behind_mine = rounded_piece(bytes);
    auto* const to = static_cast<std::byte*>(store_.workspace(behind_mine + all_bytes).data);
    if (!host_ || host_->size() < bytes + all_bytes) host_ = device_.allocate_host(bytes + all_bytes);
    std::memcpy(host_->data(), mine, bytes);
    device_.copy_to_device(to, host_->data(), bytes, stream_->handle());
    nccl_.check(nccl_.all_gather(to, to + behind_mine, bytes, Nccl::byte, communicator_, stream_->handle()),
                "ncclAllGather");
    wait_until_enqueued();
    // Page-locked, so it is copied when it has come: the host waits once.
    device_.copy_to_host(host_->data() + bytes, to + behind_mine, all_bytes, stream_->handle());
    finish();
    std::memcpy(all, host_->data() + bytes, all_bytes);
  });
}

void NcclLink::exchange(std::span<const ArrayExchange> arrays, Stream stream) {
  guarded([&] {
    device_.synchronize(stream);
    enqueue_together(arrays);
    finish();
  });
}

void NcclLink::begin(std::span<const ExchangeBeside> exchanges) {
  guarded([&] {
    for (const ExchangeBeside& exchange : exchanges) {
      device_.wait_for(*exchange.after, stream_->handle());
      enqueue_together(exchange.arrays);
      wait_until_enqueued();
      device_.record(*exchange.done, stream_->handle());
    }
  });
}

void NcclLink::end() {
  guarded([&] { finish(); });
}

void NcclLink::enqueue_together(std::span<const ArrayExchange> arrays) {
  nccl_.check(nccl_.group_start(), "ncclGroupStart");
  for (const ArrayExchange& array : arrays) enqueue(array);
  nccl_.check(nccl_.group_end(), "ncclGroupEnd");
}

/// What it enqueues begins when the group ends. What failed is told then, too.
void NcclLink::enqueue(const ArrayExchange& array) {
  const Stream stream = stream_->handle();
  for (int peer = 0; peer < size_; ++peer) {
    const Piece& out = array.send[static_cast<std::size_t>(peer)];
    const Piece& in = array.receive[static_cast<std::size_t>(peer)];
    if (peer == rank_) {
      if (out.bytes != 0) device_.copy_on_device(in.data, out.data, out.bytes, stream);
      continue;
    }
    if (out.bytes != 0) {
      static_cast<void>(nccl_.send(out.data, out.bytes, Nccl::byte, peer, communicator_, stream));
    }
    if (in.bytes != 0) {
      static_cast<void>(nccl_.receive(in.data, in.bytes, Nccl::byte, peer, communicator_, stream));
    }
  }
}

void NcclLink::abort() noexcept {
  if (communicator_ != nullptr) static_cast<void>(nccl_.abort(communicator_));
  communicator_ = nullptr;
}

template <class Work>
void NcclLink::guarded(const Work& work) {
  if (communicator_ == nullptr) {
    throw Error(ErrorCode::device,
                "the communicator was aborted when a call failed: make a new one, and a sorter");
  }
  try {
    work();
  } catch (...) {
    abort();
    throw;
  }
}

/// Looks, with pauses, whether it is so, and throws when the time limit has passed.
template <class Condition>
void NcclLink::wait_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + time_limit_;
  int looks = 0;
  while (!condition()) {
    if (++looks < looks_before_pause) {
      std::this_thread::yield();
      continue;
    }
    if (std::chrono::steady_clock::now() >= end) {
      throw Error(ErrorCode::device, fmt::format("rank {} of {}: the others did not come within {} ms", rank_,
                                                 size_, time_limit_.count()));
    }
    std::this_thread::sleep_for(pause);
  }
}

/// A communicator may be one that does not block: its calls go on by themselves, and the stream has their
/// work only then.
void NcclLink::wait_until_enqueued() {
  wait_until([&] { return !is_under_way(); });
}

/// Waits for what was enqueued.
void NcclLink::finish() {
  wait_until_enqueued();
  device_.record(*done_, stream_->handle());
  wait_until([&] {
    if (device_.has_passed(*done_)) return true;
    static_cast<void>(is_under_way());
    return false;
  });
}

bool NcclLink::is_under_way() {
  Nccl::Result state = Nccl::success;
  nccl_.check(nccl_.state(communicator_, &state), "ncclCommGetAsyncError");
  nccl_.check(state, "the communicator");
  return state == Nccl::in_progress;
}

}  // namespace bitune::multi
