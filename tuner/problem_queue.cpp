#include "tuner/problem_queue.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr auto tick = std::chrono::milliseconds(50);

/// How much time a problem should have, as a multiple of that of a short one. With 512 MB of keys, and of
/// what travels with them, it is twice as much: to restore, verify and sample these takes a GPU as long as it
/// takes the compilers to make the next kernel.
double weight_of(const Problem& problem) {
  constexpr double bytes_of_one = 512 << 20;
  const std::size_t bytes = size_of(problem.key) + carried_bytes(problem);
  return 1 + keys_in_all(problem) * static_cast<double>(bytes) / bytes_of_one;
}

}  // namespace

ProblemQueue::ProblemQueue(std::vector<Problem> problems, std::size_t devices,
                           std::optional<std::uint64_t> evaluations)
    : problems_(std::move(problems)),
      waiting_(problems_.size()),
      devices_(std::max<std::size_t>(devices, 1)),
      evaluations_(evaluations) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  for (const Problem& problem : problems_) weight_left_ += weight_of(problem);
}

void ProblemQueue::begin_with_least_known(const std::function<std::size_t(const Problem&)>& known) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(is_ordered_, true)) return;
  std::vector<std::size_t> counts;
  counts.reserve(problems_.size());
  for (const Problem& problem : problems_) counts.push_back(known(problem));
  std::stable_sort(waiting_.begin(), waiting_.end(),
                   [&counts](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
}

std::vector<std::size_t> ProblemQueue::upcoming(std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, waiting_.size()));
  return {waiting_.begin(), waiting_.begin() + count};
}

std::optional<ProblemQueue::Share> ProblemQueue::take(const std::function<bool()>& give_up) {
  std::unique_lock lock(mutex_);
  while (waiting_.empty() && under_way_ > 0 && !give_up()) changed_.wait_for(lock, tick);
  if (waiting_.empty() || give_up()) return std::nullopt;
  Share share{.index = waiting_.front(), .evaluations = std::nullopt};
  if (evaluations_) {
    share.evaluations = (*evaluations_ + waiting_.size() - 1) / waiting_.size();
    *evaluations_ -= *share.evaluations;
  }
  waiting_.pop_front();
  ++under_way_;
  return share;
}

void ProblemQueue::settle(const Share& share, std::uint64_t spent) {
  --under_way_;
  if (evaluations_) *evaluations_ += *share.evaluations - std::min(*share.evaluations, spent);
}

void ProblemQueue::finish(const Share& share, std::uint64_t spent) {
  const std::scoped_lock lock(mutex_);
  settle(share, spent);
  weight_left_ -= weight_of(problems_[share.index]);
  changed_.notify_all();
}

void ProblemQueue::give_back(const Share& share, std::uint64_t spent) {
  const std::scoped_lock lock(mutex_);
  settle(share, spent);
  waiting_.push_front(share.index);
  if (devices_ > 1) --devices_;
  changed_.notify_all();
}

std::size_t ProblemQueue::left_for_each() const {
  const std::scoped_lock lock(mutex_);
  const std::size_t left = waiting_.size() + under_way_;
  return std::max<std::size_t>((left + devices_ - 1) / devices_, 1);
}

double ProblemQueue::part_of_time(const Share& share) const {
  const std::scoped_lock lock(mutex_);
  const double for_each = weight_left_ / static_cast<double>(devices_);
  return std::min(1.0, weight_of(problems_[share.index]) / for_each);
}

std::size_t ProblemQueue::done() const {
  const std::scoped_lock lock(mutex_);
  return problems_.size() - waiting_.size() - under_way_;
}

}  // namespace bitune
