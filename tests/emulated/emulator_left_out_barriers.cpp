// Every barrier is needed: each is left out in turn, and a random order of threads must make the sort wrong.
// The kernels as they are pass under the same orders.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "measure/inputs.hpp"
#include "multi/local_ranks.hpp"
#include "multi/rank_call.hpp"
#include "multi/rank_device.hpp"
#include "multi/rank_store.hpp"
#include "multi/run_merge.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "runtime/open_engine.hpp"
#include "tests/multi/several_ranks.hpp"
#include "tests/support/barrier_tries.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/segment_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace emulator_left_out_barriers {
namespace {

constexpr std::string_view barriers[] = {"sync_block();",         "sync_warp();",
                                         "Group::sync();",        "Threads::sync();",
                                         "wait_for_bytes(then);", "Tile::template barrier<false>();",
                                         "sync_cluster();",       "Ranks::sync();"};

/// What is not missed on the emulated device: what a block waits for at its end, while others of its cluster
/// read its shared memory, which the emulated device keeps; what waits for words that the first threads
/// write as they begin, which nearly always is before the lanes of any warp have met; what other warps have
/// written when the lanes of one have met a few times more; what orders memory where lanes meet anyway, or
/// look at neighbours that are in order already; what
/// a bound or a choice of digits waits for, without which the way out is taken, or once in many looks; what
/// keeps a block from being two barriers of its own ahead of its cluster; what lies between two segments or
/// shares of a block, where there are more blocks; and what says that it is for nobody.
constexpr std::string_view not_missed[] = {
    "sync_cluster();  // others may read this block's until then",
    "sync_block();  // thread 0 has set the count",
    "sync_block();  // the first warp has cleared the counts",
    "sync_block();  // other warps have written, some shuffles before",
    "sync_warp();  // a shuffle comes before the next write",
    "sync_warp();  // a vote comes before the next read",
    "sync_warp();  // a shuffle comes before the next read, or it is a look",
    "sync_warp();  // for nobody: ",
    "Threads::sync();  // for nobody: ",
    "sync_block();  // else the bound is wrong, which costs time",
    "sync_block();  // else the bound is wrong, once in many times",
    "sync_cluster();  // else the bound is wrong, which costs time",
    "sync_block();  // else the choice is wrong, which costs time",
    "sync_block();  // all have seen it before it is cleared",
    "Ranks::sync();  // others may add up this block's until then",
    "sync_block();  // others may read the sums of the block's segment before",
    "sync_block();  // others may sort the share before",
    "sync_block();  // the next share is there to be read",
    "sync_block();  // others may read the values of the segment before",
    "sync_block();  // others may read the values of this segment",
    "sync_block();  // for nobody: "};

/// One barrier in the text of a kernel header.
struct Barrier {
  std::string path;
  std::size_t position = 0;
  std::size_t length = 0;
  std::size_t line = 0;

  friend std::ostream& operator<<(std::ostream& out, const Barrier& barrier) {
    return out << barrier.path << ":" << barrier.line;
  }
};

using Paths = std::set<std::string_view>;

/// Each header with all that it includes, itself among them.
const std::map<std::string_view, Paths>& inclusions() {
  static const auto all = [] {
    std::map<std::string_view, Paths> found;
    const auto files = embedded_kernels();
    for (const EmbeddedFile& file : files) {
      found[file.path].insert(file.path);
      for (const EmbeddedFile& other : files) {
        const std::string directive = fmt::format("#include \"{}\"", other.path);
        if (file.text.find(directive) != std::string_view::npos) found[file.path].insert(other.path);
      }
    }
    for (bool grew = true; grew;) {
      grew = false;
      for (auto& [path, included] : found) {
        const Paths before = included;
        for (const std::string_view other : before) included.merge(Paths(found.at(other)));
        grew |= included.size() != before.size();
      }
    }
    return found;
  }();
  return all;
}

/// Whether the header is one of the variant's kernels', or of those that they include.
bool uses(std::string_view variant_name, std::string_view header) {
  const auto kernels = variant(variant_name).kernel_headers();
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](std::string_view kernel) { return inclusions().at(kernel).contains(header); });
}

/// Whether barriers of what gives the first k keys are left out as well: they take 11 core-minutes.
bool with_first_keys() { return std::getenv("BITUNE_TEST_ALL_BARRIERS") != nullptr; }

std::vector<Barrier> find_barriers() {
  std::vector<Barrier> found;
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (file.path.find("platform") != std::string_view::npos) continue;
    if (!with_first_keys() && (file.path.find("/topk/") != std::string_view::npos ||
                               file.path.find("first_keys") != std::string_view::npos)) {
      continue;
    }
    for (const std::string_view barrier : barriers) {
      for (std::size_t at = file.text.find(barrier); at != std::string_view::npos;
           at = file.text.find(barrier, at + 1)) {
        const auto begins = [&](std::string_view text) { return file.text.substr(at).starts_with(text); };
        if (std::any_of(std::begin(not_missed), std::end(not_missed), begins)) continue;
        const auto line =
            1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        found.push_back({std::string(file.path), at, barrier.size(), static_cast<std::size_t>(line)});
      }
    }
  }
  return found;
}

const std::vector<Barrier>& all_barriers() {
  static const std::vector<Barrier> all = find_barriers();
  return all;
}

/// The number of the barrier that the process leaves out.
constexpr const char* left_out_variable = "BITUNE_TEST_LEFT_OUT_BARRIER";

/// The headers with each barrier behind a question: so all kernels are compiled once, and not once for each
/// barrier.
std::vector<emulated::SourceFile> headers_that_ask() {
  std::map<std::string, std::string> texts;
  const std::vector<Barrier>& all = all_barriers();
  for (const EmbeddedFile& file : embedded_kernels()) texts.emplace(file.path, file.text);
  // From behind, so that positions stay what they are.
  std::vector<std::size_t> numbers(all.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::sort(numbers.begin(), numbers.end(),
            [&](std::size_t a, std::size_t b) { return all[a].position > all[b].position; });
  for (const std::size_t number : numbers) {
    const Barrier& barrier = all[number];
    std::string& text = texts.at(barrier.path);
    const std::string call = text.substr(barrier.position, barrier.length - 1);
    text.replace(barrier.position, barrier.length,
                 fmt::format("(bitune::detail::is_left_out({}) ? void() : {});", number, call));
  }
  texts.at("kernels/platform/emulated/base.cuh") += fmt::format(R"(
#include <cstdlib>
namespace bitune::detail {{
inline const char* const left_out = std::getenv("{}");
inline const int left_out_number = left_out == nullptr ? -1 : std::atoi(left_out);
inline bool is_left_out(int barrier) {{ return barrier == left_out_number; }}
}}
)",
                                                                left_out_variable);
  std::vector<emulated::SourceFile> headers;
  headers.reserve(texts.size());
  for (const auto& [path, text] : texts) headers.push_back({path, text});
  return headers;
}

std::shared_ptr<Device> device_with(std::uint64_t seed, std::vector<emulated::SourceFile> headers = {}) {
  emulated::EmulatedOptions options;
  options.seed = seed;
  return make_emulated_device(options, std::move(headers));
}

/// Whether the keys came out sorted. What the emulator itself finds wrong with a kernel is caught, too.
bool passes(const Bench& bench, const BarrierTry& tried, std::uint64_t seed) {
  try {
    const auto& [configuration, problem, sample, lengths, uneven] = tried;
    if (!lengths.empty()) {
      const SegmentPlaces places = places_of(lengths);
      return sorts_segments(bench, problem, places, configuration, Distribution::random, seed, true) &&
             sorts_segments(bench, problem, places, configuration, Distribution::special, seed, true) &&
             sorts_segments(bench, problem, places, configuration, Distribution::zipf, seed, true);
    }
    if (problem.operation == Operation::top_k) {
      return is_right(bench, problem, configuration, Distribution::random, seed, {.sample = sample}) &&
             is_right(bench, problem, configuration, uneven, seed, {.sample = sample});
    }
    if (problem.operation == Operation::sort_pairs) {
      return is_right(bench, problem, configuration, Distribution::random, seed, {.in_place = true}) &&
             is_right(bench, problem, configuration, Distribution::special, seed, {.in_place = true});
    }
    return sorts(bench, problem, configuration, Distribution::random, seed) &&
           sorts(bench, problem, configuration, Distribution::few_distinct, seed);
  } catch (const Error& error) {
    return error.code() != ErrorCode::device;
  }
}

/// Whether two sorted runs of several tiles are merged, as ranks of several devices do. No variant does that.
bool merges_runs(const std::shared_ptr<Device>& device, const std::shared_ptr<KernelCache>& cache,
                 std::uint64_t seed) {
  constexpr std::uint64_t first = 5000;
  constexpr std::uint64_t n = 9001;
  std::vector<std::uint32_t> keys(n);
  const std::vector<std::byte> made = make_keys(KeyType::u32, n, Distribution::random, seed);
  std::memcpy(keys.data(), made.data(), made.size());
  std::sort(keys.begin(), keys.begin() + first);
  std::sort(keys.begin() + first, keys.end());
  std::vector<std::uint32_t> right = keys;
  std::sort(right.begin(), right.end());

  const multi::RunMerge merge(SortSpec{.key = KeyType::u32}, 0);
  std::vector<std::uint32_t> merged(n);
  std::vector<std::byte> splits(merge.splits_bytes(n));
  const multi::RunArrays runs{reinterpret_cast<std::byte*>(keys.data()), nullptr};
  multi::RankDevice rank(OpenedEngine{device, cache, nullptr, nullptr});
  try {
    multi::RunMerge::Memory memory;
    memory.to.keys = reinterpret_cast<std::byte*>(merged.data());
    memory.splits = splits.data();
    merge.run(rank, {{runs, first}, {merge.at(runs, first), n - first}}, 0, n, memory, nullptr);
    device->synchronize(nullptr);
  } catch (const Error& error) {
    return error.code() != ErrorCode::device;
  }
  return merged == right;
}

/// Whether two ranks that split their pairs before they sort come to the right result. No variant does that
/// either.
bool splits_keys(const std::shared_ptr<Device>& device, const std::shared_ptr<KernelCache>& cache) {
  constexpr SortSpec pairs{
      .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true};
  RanksCall call(pairs, {1200, 1100}, {equal_part, equal_part}, Distribution::random);
  const auto parts = call.parts();
  const auto no_tunings = [](const Problem&, std::string*) { return CandidateSet{}; };
  multi::RankDevice rank_device(OpenedEngine{
      device, cache, nullptr, std::make_unique<SortEngine>(device, cache, no_tunings, variants())});
  multi::LocalRanks meeting(2, std::chrono::hours(24), true);
  std::deque<multi::RankStore> stores;  // until both have left
  std::atomic<bool> failed = false;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
      multi::RankStore& store =
          stores.emplace_back(*device, [](std::uint64_t) { return multi::CopyRules{.split_from_bytes = 0}; });
      threads.emplace_back([&, rank] {
        try {
          const auto communicator = meeting.communicator(rank, *device);
          static_cast<void>(multi::run_rank(rank_device, store, *communicator, pairs,
                                            parts[static_cast<std::size_t>(rank)]));
        } catch (const Error&) {
          failed = true;
        }
      });
    }
  }
  return !failed && !call.fault();
}

class LeftOutBarrier : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Kernels, LeftOutBarrier, testing::Range<std::size_t>(0, all_barriers().size()),
                         [](const auto& parameter) {
                           const Barrier& barrier = all_barriers().at(parameter.param);
                           std::string name = barrier.path.substr(barrier.path.rfind('/') + 1);
                           return name.substr(0, name.find('.')) + "_line_" + std::to_string(barrier.line);
                         });

/// Ends the process when it has computed for so long. Compilers, which are other processes, take none of it.
void limit_computing(time_t seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  EXPECT_EQ(setitimer(ITIMER_PROF, &limit, nullptr), 0);
}

/// Whether one of three seeds tells that the barrier is not there. In a process of its own, as what such a
/// kernel does to memory is anybody's guess; and whether it ever ends is, too.
bool is_caught(std::size_t number) {
  // Five times what the kernels as they are take for two sorts on average. On a machine so slow that they
  // take longer, a barrier that is not needed would not be noticed.
  constexpr time_t seconds_until_it_hangs = 2;
  const Barrier& barrier = all_barriers().at(number);
  // By this process, so that it is done once.
  static const std::vector<emulated::SourceFile> headers = headers_that_ask();
  static_cast<void>(inclusions());
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // a report would take longer than the sorts
    setenv(left_out_variable, std::to_string(number).c_str(), 1);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto device = device_with(seed, headers);
      // Kept for the other tests, whose kernels are these.
      const auto cache = std::make_shared<KernelCache>(KernelCache::default_directory());
      const Bench bench{device, std::make_shared<KernelStore>(device, cache)};
      for (const BarrierTry& tried : barrier_tries(with_first_keys())) {
        if (!uses(tried.configuration.variant, barrier.path)) continue;
        limit_computing(seconds_until_it_hangs);
        if (!passes(bench, tried, seed)) _exit(1);
      }
      if (barrier.path.find("/multi/") == std::string::npos) continue;
      limit_computing(seconds_until_it_hangs);
      if (!merges_runs(device, cache, seed)) _exit(1);
      limit_computing(seconds_until_it_hangs);
      if (!splits_keys(device, cache)) _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST_P(LeftOutBarrier, IsCaughtUnderOneOfThreeSeeds) {
  EXPECT_TRUE(is_caught(GetParam())) << "the barrier at " << all_barriers().at(GetParam())
                                     << " can be left out, or nothing that is tried here passes it";
}

TEST(AllBarriers, KernelsAsTheyArePassUnderThreeSeeds) {
  EXPECT_FALSE(all_barriers().empty());
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto device = device_with(seed, headers_that_ask());
    const auto cache = std::make_shared<KernelCache>(KernelCache::default_directory());
    const Bench bench{device, std::make_shared<KernelStore>(device, cache)};
    const std::vector<BarrierTry> tries = barrier_tries(with_first_keys());
    std::vector<std::pair<Problem, Configuration>> sorts;
    for (const BarrierTry& tried : tries) sorts.emplace_back(tried.problem, tried.configuration);
    compile_all(bench, sorts);
    for (const BarrierTry& tried : tries) {
      EXPECT_TRUE(passes(bench, tried, seed)) << tried.configuration.text() << ", seed " << seed;
    }
    EXPECT_TRUE(merges_runs(device, cache, seed)) << "seed " << seed;
    EXPECT_TRUE(splits_keys(device, cache)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace emulator_left_out_barriers
}  // namespace bitune::test
