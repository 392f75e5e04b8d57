#pragma once

/// \file
/// What was made for each problem, found again by one hash lookup.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "bitune/types.hpp"
#include "model/fields.hpp"

namespace bitune {

/// Hash of a problem: cheap, since it is on the path of every sort.
struct ProblemHash {
  std::size_t operator()(const Problem& problem) const noexcept { return hash_of_fields(problem); }
};

/// Values by problem, at most `capacity` of them; the least recently used goes first.
///
/// Thread safety: all functions may be called from several threads. A value is made by one thread while the
/// others that want it wait; no lock is held meanwhile, and a failure is given to all who waited and then
/// forgotten. Values are immutable and outlive their eviction in the hands of who holds them.
template <class Value>
class ProblemCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit ProblemCache(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

  /// The value, or null. Allocates nothing.
  [[nodiscard]] Pointer find(const Problem& problem) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(problem);
    if (found == entries_.end()) return nullptr;
    found->second.last_used.store(clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
    return found->second.value;
  }

  /// The value, made by `make()` (which returns a Pointer) if there is none.
  template <class Make>
  Pointer get(const Problem& problem, Make&& make) {
    if (Pointer value = find(problem)) return value;

    std::promise<Pointer> promise;
    std::shared_future<Pointer> flight;
    {
      const std::unique_lock lock(mutex_);
      if (const auto found = entries_.find(problem); found != entries_.end()) return found->second.value;
      if (const auto found = flights_.find(problem); found != flights_.end()) {
        flight = found->second;
      } else {
        flights_.emplace(problem, promise.get_future().share());
      }
    }
    if (flight.valid()) return flight.get();

    try {
      Pointer value = std::forward<Make>(make)();
      insert(problem, value);
      promise.set_value(value);
      return value;
    } catch (...) {
      {
        const std::unique_lock lock(mutex_);
        flights_.erase(problem);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  /// From now on this is the value, whatever it was before and whatever `get` makes meanwhile.
  void put(const Problem& problem, Pointer value) {
    const std::unique_lock lock(mutex_);
    if (!entries_.contains(problem)) make_room();
    const std::uint64_t now = clock_.fetch_add(1, std::memory_order_relaxed);
    const auto [found, is_new] = entries_.try_emplace(problem, value, now);
    if (is_new) return;
    found->second.value = std::move(value);
    found->second.last_used.store(now, std::memory_order_relaxed);
  }

  [[nodiscard]] std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    Entry(Pointer made, std::uint64_t now) : value(std::move(made)), last_used(now) {}
    Pointer value;
    mutable std::atomic<std::uint64_t> last_used;
  };

  void insert(const Problem& problem, const Pointer& value) {
    const std::unique_lock lock(mutex_);
    make_room();
    entries_.try_emplace(problem, value, clock_.fetch_add(1, std::memory_order_relaxed));
    flights_.erase(problem);
  }

  /// Called with the lock held.
  void make_room() {
    // A linear search is nothing beside the making of a value.
    if (entries_.size() < capacity_) return;
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.last_used.load(std::memory_order_relaxed) <
             b.second.last_used.load(std::memory_order_relaxed);
    }));
  }

  const std::size_t capacity_;
  mutable std::shared_mutex mutex_;
  mutable std::atomic<std::uint64_t> clock_{0};
  std::unordered_map<Problem, Entry, ProblemHash> entries_;
  std::unordered_map<Problem, std::shared_future<Pointer>, ProblemHash> flights_;
};

}  // namespace bitune
