#include "multi/local_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace bitune::multi {
namespace {

/// How often a rank looks whether the others have come before it sleeps. Ranks that did like work come within
/// microseconds of each other, and to be woken takes longer.
constexpr int turns_before_sleep = 200;

}  // namespace

/// What a rank shows of an exchange.
struct ShownExchange {
  const Device* device = nullptr;
  std::span<const ArrayExchange> arrays;
};

class LocalRanks::Rank final : public Communicator {
 public:
  Rank(LocalRanks& ranks, int rank, const Device& device) : ranks_(ranks), rank_(rank), device_(device) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return ranks_.count_; }
  [[nodiscard]] bool reads_directly() const noexcept override { return ranks_.reads_directly_; }

  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    auto* to = static_cast<std::byte*>(all);
    for (const auto& message : ranks_.exchange_messages(rank_, mine, bytes)) {
      to = std::copy_n(message.begin(), bytes, to);
    }
  }

  void all_to_all(std::span<const ArrayExchange> arrays, Stream stream) override {
    device_.synchronize(stream);  // others read what this rank has written
    // Not the caller's stream: it may be the default one, and copies between two GPUs that are in default
    // streams wait for each other. So both directions of the link would be used in turn.
    const auto copies = device_.create_stream();
    const ShownExchange mine{&device_, arrays};
    ranks_.meet(rank_, &mine, [&](const std::vector<const void*>& shown) {
      const auto me = static_cast<std::size_t>(rank_);
      for (std::size_t turn = 0; turn < shown.size(); ++turn) {
        // Each rank begins with another one, so that they do not all read from one device at once.
        const std::size_t from = (me + turn) % shown.size();
        const auto& sender = *static_cast<const ShownExchange*>(shown[from]);
        for (std::size_t array = 0; array < arrays.size(); ++array) {
          const Piece& piece = sender.arrays[array].send[me];
          device_.copy_from_peer(arrays[array].receive[from].data, *sender.device, piece.data, piece.bytes,
                                 copies->handle());
        }
      }
      device_.synchronize(copies->handle());
    });
  }

  void abort(ErrorCode code, const std::string& why) noexcept override {
    try {
      ranks_.end({rank_, code, why});
    } catch (const std::exception&) {  // no memory for the sentence
      ranks_.end({rank_, code, {}});
    }
  }

 private:
  LocalRanks& ranks_;
  int rank_;
  const Device& device_;
};

LocalRanks::LocalRanks(int count, std::chrono::milliseconds time_limit, bool reads_directly)
    : count_(count),
      time_limit_(time_limit),
      reads_directly_(reads_directly),
      shown_(static_cast<std::size_t>(count), nullptr) {
  for (Messages& messages : messages_) messages.resize(static_cast<std::size_t>(count));
  gathered_.resize(static_cast<std::size_t>(count), 0);
}

std::unique_ptr<Communicator> LocalRanks::communicator(int rank, const Device& device) {
  return std::make_unique<Rank>(*this, rank, device);
}

std::optional<int> LocalRanks::ended_by() const {
  const std::lock_guard lock(mutex_);
  return end_ ? std::optional(end_->rank) : std::nullopt;
}

const LocalRanks::Messages& LocalRanks::exchange_messages(int rank, const void* mine, std::size_t bytes) {
  const auto me = static_cast<std::size_t>(rank);
  Messages& messages = messages_[gathered_[me]++ % messages_.size()];
  const auto* from = static_cast<const std::byte*>(mine);
  messages[me].assign(from, from + bytes);
  wait_for_all(rank);
  return messages;
}

void LocalRanks::meet(int rank, const void* mine,
                      const std::function<void(const std::vector<const void*>&)>& read) {
  shown_[static_cast<std::size_t>(rank)] = mine;
  wait_for_all(rank);
  // All ranks are between here and leave(), whatever becomes of one: so what is shown stays where it is.
  std::exception_ptr failure;
  try {
    read(shown_);
  } catch (...) {
    failure = std::current_exception();
  }
  leave();
  if (failure) std::rethrow_exception(failure);
}

void LocalRanks::wait_for_all(int rank) {
  std::unique_lock lock(mutex_);
  if (end_) throw_end();
  const std::uint64_t arrivals = arrivals_;
  if (++arrived_ == count_) {
    arrived_ = 0;
    ++arrivals_;
    changed_.notify_all();
    return;
  }
  lock.unlock();
  for (int turn = 0; turn < turns_before_sleep; ++turn) {
    if (arrivals_ != arrivals) return;
    std::this_thread::yield();
  }
  lock.lock();
  const auto done = [&] { return arrivals_ != arrivals || end_.has_value(); };
  if (!changed_.wait_for(lock, time_limit_, done)) {
    end_ = End{rank, ErrorCode::device,
               fmt::format("{} of {} ranks did not come within {} ms", count_ - arrived_, count_,
                           time_limit_.count())};
    changed_.notify_all();
  }
  if (arrivals_ == arrivals) throw_end();
}

void LocalRanks::leave() noexcept {
  std::unique_lock lock(mutex_);
  const std::uint64_t leavings = leavings_;
  if (++left_ == count_) {
    left_ = 0;
    ++leavings_;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return leavings_ != leavings; });
}

void LocalRanks::end(End end) noexcept {
  const std::lock_guard lock(mutex_);
  if (!end_) end_ = std::move(end);
  changed_.notify_all();
}

void LocalRanks::throw_end() const {
  throw Error(end_->code,
              fmt::format("rank {} of {} ended the work of all: {}", end_->rank, count_, end_->why));
}

}  // namespace bitune::multi
