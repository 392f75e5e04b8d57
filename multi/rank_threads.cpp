#include "multi/rank_threads.hpp"

namespace bitune::multi {

RankThreads::RankThreads(std::size_t ranks) {
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    threads_.emplace_back([this, rank] {
      for (int call = 0;; ++call) {
        calls_.wait(call);
        const auto* work = work_.load();
        if (work == nullptr) return;
        (*work)(rank);
        if (--busy_ == 0) busy_.notify_one();
      }
    });
  }
}

RankThreads::~RankThreads() {
  work_ = nullptr;
  ++calls_;
  calls_.notify_all();
}

void RankThreads::run(const std::function<void(std::size_t)>& work) {
  work_ = &work;
  busy_ = static_cast<int>(threads_.size());
  ++calls_;
  calls_.notify_all();
  work(0);
  for (int busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
}

}  // namespace bitune::multi
