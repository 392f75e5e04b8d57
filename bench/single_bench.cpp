#include "bench/single_bench.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "bench/peer.hpp"
#include "bench/turns.hpp"
#include "bitune/bitune.hpp"
#include "bitune/error.hpp"
#include "model/key_order.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"
#include "tuner/inputs.hpp"

namespace bitune {
namespace {

std::vector<std::uint64_t> default_sizes(const Device& device) {
  return parse_sizes(device.info().kind == "cuda" ? "2^8..2^28" : "2^8..2^12");
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

/// Random keys. -0 becomes +0: CUB takes the two for equal, so that their order would be anybody's.
std::vector<std::byte> bench_keys(const Problem& problem, std::uint64_t seed) {
  std::vector<std::byte> keys = make_keys(problem.key, problem.n, Distribution::random, seed);
  if (!is_floating_point(problem.key)) return keys;
  const std::size_t size = size_of(problem.key);
  const std::uint64_t minus_zero = std::uint64_t{1} << (8 * size - 1);
  for (std::size_t offset = 0; offset < keys.size(); offset += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &keys[offset], size);
    if (bits == minus_zero) std::memset(&keys[offset], 0, size);
  }
  return keys;
}

/// The suite on one device: what all comparisons share.
class Suite {
 public:
  explicit Suite(const SingleBenchRequest& request)
      : request_(request),
        device_(open_device(request.device)),
        sorter_(
            {.device = request.device, .database = request.database, .kernel_cache = request.kernel_cache}) {
    if (request.against == "none") return;
    if (device_->info().kind != "cuda") {
      result_.note = fmt::format("the {} has no peers to compare with", device_->describe());
      return;
    }
    peer_ = Peer::open(request.against, result_.note);
    if (!peer_) return;
    peer_->select_device(*device_);
    result_.peer_path = peer_->path().string();
  }

  [[nodiscard]] const Device& device() const { return *device_; }

  /// Nothing if the device's memory does not hold it; the note then says so.
  std::optional<BenchRecord> compare(const Problem& problem);

  [[nodiscard]] SingleBenchResult take_result() { return std::move(result_); }
  void keep(BenchRecord record) { result_.records.push_back(std::move(record)); }

 private:
  void note(const std::string& sentence) {
    if (!result_.note.empty()) result_.note += "; ";
    result_.note += sentence;
  }

  [[nodiscard]] std::vector<Contestant> contestants(const Problem& problem);
  [[nodiscard]] BenchRecord describe(const Problem& problem);

  const SingleBenchRequest& request_;
  std::shared_ptr<Device> device_;
  Sorter sorter_;
  std::optional<Peer> peer_;
  std::shared_ptr<DeviceBuffer> workspace_;  ///< the peer's, of the comparison under way
  SingleBenchResult result_;
};

std::vector<Contestant> Suite::contestants(const Problem& problem) {
  std::vector<Contestant> all;
  all.push_back({"bitune", true, [this, problem](void* keys, void*, StreamHandle stream) {
                   sorter_.sort(keys, problem.n, problem.key, stream, problem.order);
                 }});
  if (!peer_) return all;

  std::uint64_t most_workspace = 0;
  for (const BitunePeerMethod* method : peer_->methods()) {
    const auto bytes = peer_->workspace_bytes(*method, problem);
    if (!bytes) continue;
    most_workspace = std::max(most_workspace, *bytes);
    all.push_back({method->name, method->in_place != 0,
                   [this, problem, method, bytes = *bytes](void* keys, void* out, StreamHandle stream) {
                     peer_->sort(*method, problem, keys, out, workspace_->data(), bytes, stream);
                   }});
  }
  workspace_.reset();
  workspace_ = device_->allocate(std::max<std::uint64_t>(most_workspace, 1));
  return all;
}

BenchRecord Suite::describe(const Problem& problem) {
  const Explanation explanation = sorter_.explain(problem);
  BenchRecord record;
  record.key = problem.key;
  record.order = problem.order;
  record.n = problem.n;
  record.rows = problem.rows;
  record.configuration = explanation.configuration;
  record.match = explanation.match;
  record.expected_us = explanation.expected_us;
  record.device = device_->info().name;
  record.driver = device_->software().driver;
  record.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  if (peer_) {
    record.peer = peer_->name();
    record.peer_version = peer_->version();
  }
  return record;
}

std::optional<BenchRecord> Suite::compare(const Problem& problem) {
  // Twice the least: the peers' workspaces are about as large as the keys.
  const std::uint64_t needed = Turns::memory_needed(key_bytes(problem)) + 2 * key_bytes(problem);
  if (device_->info().memory_bytes > 0 && needed > static_cast<std::uint64_t>(device_->info().memory_bytes)) {
    note(fmt::format("'{}' was left out: it needs {} MiB of device memory", text_of(problem), needed >> 20));
    return std::nullopt;
  }
  sorter_.prepare(problem);
  BenchRecord record = describe(problem);

  std::vector<std::byte> expected = bench_keys(problem, request_.seed);
  Turns turns(*device_, expected);
  reference_sort(expected.data(), problem.n, problem.key, problem.order);

  std::vector<Contestant> all = contestants(problem);
  record.verified = turns.verify(all.front(), expected);
  if (!record.verified) note(fmt::format("bitune sorted '{}' wrongly: report this", text_of(problem)));
  const auto wrong = std::remove_if(all.begin() + 1, all.end(), [&](const Contestant& contestant) {
    const bool right = turns.verify(contestant, expected);
    if (!right) note(fmt::format("the peer's '{}' sorted '{}' wrongly", contestant.name, text_of(problem)));
    return !right;
  });
  all.erase(wrong, all.end());
  expected = {};

  const TurnsResult timed = turns.run(all, std::max(request_.samples, 1));
  record.batch = timed.batch;
  record.samples = static_cast<int>(timed.samples_us.front().size());
  record.bitune_us = median(timed.samples_us.front());
  record.gkeys_per_s = static_cast<double>(problem.n * problem.rows) / record.bitune_us / 1000;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double us = median(timed.samples_us[i]);
    record.methods_us[all[i].name] = us;
    if (!record.peer_us || us < *record.peer_us) {
      record.peer_us = us;
      record.peer_method = all[i].name;
    }
  }
  if (record.verified && record.peer_us) record.ratio = *record.peer_us / record.bitune_us;
  return record;
}

}  // namespace

SingleBenchResult run_single_bench(const SingleBenchRequest& request,
                                   const std::function<void(const BenchProgress&)>& progress,
                                   const std::atomic<bool>& stop) {
  Suite suite(request);
  const std::vector<std::uint64_t> sizes =
      request.sizes.empty() ? default_sizes(suite.device()) : request.sizes;
  BenchProgress now;
  now.count = request.keys.size() * sizes.size();
  for (const KeyType key : request.keys) {
    for (const std::uint64_t n : sizes) {
      if (stop.load()) return suite.take_result();
      if (n < 2)
        throw Error(ErrorCode::usage,
                    fmt::format("a bench of {} keys has nothing to sort: use 2 or more", n));
      now.key = key;
      now.n = n;
      now.finished = nullptr;
      if (progress) progress(now);
      if (auto record = suite.compare({.key = key, .order = request.order, .n = n})) {
        now.finished = &*record;
        if (progress) progress(now);
        suite.keep(std::move(*record));
      }
      ++now.index;
    }
  }
  return suite.take_result();
}

}  // namespace bitune
