// NCCL's entry points between the threads of a process, in the host's memory. Calls return while they are
// under way, as those of a communicator that does not block: what has come is taken where the state is asked
// for.

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int internal_error = 3;
constexpr int remote_error = 6;
constexpr int in_progress = 7;
enum Kind : std::size_t { between_two, of_all };

using Message = std::vector<std::byte>;

struct Group {
  explicit Group(std::size_t ranks) : gone(ranks, false) {
    for (auto& queues : sent) queues.resize(ranks * ranks);
  }
  std::mutex mutex;
  std::array<std::vector<std::deque<Message>>, 2> sent;  // by kind, sender and receiver
  std::vector<bool> gone;

  std::deque<Message>& queue(Kind kind, std::size_t from, std::size_t to) {
    return sent[kind][from * gone.size() + to];
  }
};

struct Receipt {
  Kind kind = between_two;
  std::size_t from = 0;
  void* to = nullptr;
  std::size_t bytes = 0;
};

struct Rank {
  std::shared_ptr<Group> group;
  std::size_t rank = 0;
  std::deque<Receipt> expected;
};

Rank& rank_of(void* communicator) { return *static_cast<Rank*>(communicator); }

void send(Rank& rank, Kind kind, std::size_t to, const void* data, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(data);
  const std::lock_guard lock(rank.group->mutex);
  rank.group->queue(kind, rank.rank, to).emplace_back(begin, begin + bytes);
}

std::vector<std::unique_ptr<Rank>>& all_ranks() {  // kept: an aborted one may be asked for
  static std::vector<std::unique_ptr<Rank>> ranks;
  return ranks;
}

}  // namespace

extern "C" {

/// Communicators of a new group, a rank each.
void fake_nccl_make(int count, void** communicators) {
  const auto group = std::make_shared<Group>(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) {
    all_ranks().push_back(std::make_unique<Rank>(Rank{group, static_cast<std::size_t>(rank), {}}));
    communicators[rank] = all_ranks().back().get();
  }
}

/// The rank is gone, as if its process had died. Likewise where it aborts.
int ncclCommAbort(void* communicator) {
  Rank& rank = rank_of(communicator);
  const std::lock_guard lock(rank.group->mutex);
  rank.group->gone[rank.rank] = true;
  rank.expected.clear();
  return success;
}

int ncclCommCount(void* communicator, int* count) {
  *count = static_cast<int>(rank_of(communicator).group->gone.size());
  return success;
}

int ncclCommUserRank(void* communicator, int* rank) {
  *rank = static_cast<int>(rank_of(communicator).rank);
  return success;
}

int ncclCommCuDevice(void*, int* device) {
  *device = 0;
  return success;
}

int ncclSend(const void* data, std::size_t bytes, int, int peer, void* communicator, void*) {
  send(rank_of(communicator), between_two, static_cast<std::size_t>(peer), data, bytes);
  return in_progress;
}

int ncclRecv(void* data, std::size_t bytes, int, int peer, void* communicator, void*) {
  rank_of(communicator).expected.push_back({between_two, static_cast<std::size_t>(peer), data, bytes});
  return in_progress;
}

int ncclAllGather(const void* mine, void* all, std::size_t bytes, int, void* communicator, void*) {
  Rank& rank = rank_of(communicator);
  for (std::size_t peer = 0; peer < rank.group->gone.size(); ++peer) {
    send(rank, of_all, peer, mine, bytes);
    rank.expected.push_back({of_all, peer, static_cast<std::byte*>(all) + peer * bytes, bytes});
  }
  return in_progress;
}

int ncclGroupStart() { return success; }
int ncclGroupEnd() { return in_progress; }

int ncclCommGetAsyncError(void* communicator, int* state) {
  Rank& rank = rank_of(communicator);
  const std::lock_guard lock(rank.group->mutex);
  *state = success;
  std::deque<Receipt> missing;
  for (const Receipt& receipt : rank.expected) {
    auto& queue = rank.group->queue(receipt.kind, receipt.from, rank.rank);
    if (queue.empty()) {
      missing.push_back(receipt);
      if (*state != remote_error) *state = rank.group->gone[receipt.from] ? remote_error : in_progress;
    } else {
      if (queue.front().size() != receipt.bytes) *state = internal_error;
      if (*state == internal_error) break;
      std::memcpy(receipt.to, queue.front().data(), receipt.bytes);
      queue.pop_front();
    }
  }
  rank.expected = missing;
  return success;
}

const char* ncclGetErrorString(int result) {
  return result == remote_error ? "remote process exited" : "internal error";
}

}  // extern "C"
