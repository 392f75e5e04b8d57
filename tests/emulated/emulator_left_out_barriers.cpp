// Every barrier is needed: each is left out in turn, and a random order of threads must make the sort wrong.
// The kernels as they are pass under the same orders.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "measure/inputs.hpp"
#include "multi/rank_device.hpp"
#include "multi/run_merge.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "runtime/open_engine.hpp"
#include "tests/support/call_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

constexpr std::string_view barriers[] = {"sync_block();",         "sync_warp();",
                                         "Group::sync();",        "Threads::sync();",
                                         "wait_for_bytes(then);", "Tile::template barrier<false>();",
                                         "sync_cluster();"};

/// What is not missed on the emulated device: what a block waits for at its end, while others of its cluster
/// read its shared memory, which the emulated device keeps; what waits for a word that the first thread
/// writes as it begins, which nearly always is before the lanes of any warp have met; what a bound waits for,
/// without which the way out is taken; and what says that it is for nobody.
constexpr std::string_view not_missed[] = {"sync_cluster();  // others may read this block's until then",
                                           "sync_block();  // thread 0 has set the count",
                                           "sync_block();  // else the bound is wrong, which costs time",
                                           "Threads::sync();  // for nobody: ",
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
    // Not yet: most barriers of segments are passed by some lengths alone, which no problem here has.
    if (file.path.find("/segments/") != std::string_view::npos) continue;
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

Problem problem(std::string_view variant_name) {
  const KeyType key = variant_name == "counting" ? KeyType::u16 : KeyType::u32;
  Problem sorted{{.key = key}, {.n = 3000}};
  if (variant_name == "radix_pairs" || variant_name.ends_with("_by_place")) {
    sorted.key = KeyType::f32;
    sorted.operation = Operation::sort_pairs;
    sorted.value_bytes = 8;
  }
  return sorted;
}

/// More keys where a block has to look after more runs than a warp has threads, or to take many buckets, or
/// where each of 16 values is more frequent than a tile is long; and what sixteen blocks hold.
Problem problem_for(const Configuration& configuration) {
  Problem longer = problem(configuration.variant);
  if (configuration.variant == "multiway") longer.n = 12001;
  if (configuration.variant == "samplesort") longer.n = 20000;
  if (configuration.variant == "cluster" && configuration.at("cluster_size") == 16) longer.n = 7001;
  return longer;
}

/// What is tried: a configuration for a problem, and of a top_k which of its samples is the bound, if not the
/// one of the plan. What comes of a bound that hardly ever is wrong is only seen so.
struct Try {
  Configuration configuration;
  Problem problem;
  std::optional<std::uint32_t> sample = std::nullopt;
};

/// Whether the keys came out sorted. What the emulator itself finds wrong with a kernel is caught, too.
bool passes(const Bench& bench, const Try& tried, std::uint64_t seed) {
  try {
    const auto& [configuration, problem, sample] = tried;
    if (problem.operation == Operation::top_k) {
      return is_right(bench, problem, configuration, Distribution::random, seed, {.sample = sample}) &&
             is_right(bench, problem, configuration, Distribution::few_distinct, seed, {.sample = sample});
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
  const auto array = [](std::vector<std::uint32_t>& all) {
    return multi::RunArrays{reinterpret_cast<std::byte*>(all.data()), nullptr};
  };
  multi::RankDevice rank(OpenedEngine{device, cache, nullptr, nullptr});
  try {
    merge.run(rank, {{array(keys), first}, {merge.at(array(keys), first), n - first}}, 0, n,
              {.to = array(merged), .between = {}, .splits = splits.data(), .runs_are_read = {}}, nullptr);
    device->synchronize(nullptr);
  } catch (const Error& error) {
    return error.code() != ErrorCode::device;
  }
  return merged == right;
}

/// The limits of the emulated device, which allow all that is tried.
DeviceInfo limits() {
  DeviceInfo device;
  device.sm_count = 4;
  device.shared_bytes_per_block_optin = 65536;
  device.max_cluster_size = 8;
  return device;
}

/// The variant's default for the problem, with these parameters changed.
Configuration changed(std::string_view variant_name, const Problem& sorted,
                      const std::map<std::string, std::int64_t>& changes) {
  const Variant& family = variant(variant_name);
  Configuration configuration = family.default_configuration(sorted, limits());
  for (const auto& [name, value] : changes) {
    EXPECT_EQ(configuration.parameters.count(name), 1u) << variant_name << " has no parameter " << name;
    configuration.parameters[name] = value;
  }
  const auto violation = family.space(sorted, limits()).violation(configuration, sorted, limits());
  EXPECT_FALSE(violation) << configuration.text() << ": " << violation.value_or("");
  return configuration;
}

Configuration changed(std::string_view variant_name, const std::map<std::string, std::int64_t>& changes) {
  return changed(variant_name, problem(variant_name), changes);
}

/// The first k of rows, or of an array.
Try first_keys(std::string_view variant_name, std::uint64_t k, const Shape& shape,
               const std::map<std::string, std::int64_t>& changes,
               std::optional<std::uint32_t> sample = std::nullopt) {
  const Problem problem{{.operation = Operation::top_k,
                         .key = KeyType::f32,
                         .index_bytes = 4,
                         .order = Order::descending,
                         .k = k},
                        shape};
  return {changed(variant_name, problem, changes), problem, sample};
}

/// Buckets that are expected to fill so many hundredths of a tile: with 100 half of them take a second one,
/// with 200 half of them spill, which the space does not allow.
Configuration with_leaf_fill(std::int64_t fill) {
  Configuration configuration = changed("samplesort", {{"block_size_x", 128}, {"items_per_thread", 8}});
  configuration.parameters["leaf_fill"] = fill;
  return configuration;
}

/// Whose ranks have more bits than there are register bits.
Configuration of_sixteen_blocks() {
  Configuration configuration = changed(
      "cluster", {{"cluster_size", 8}, {"block_size_x", 64}, {"items_per_thread", 8}, {"sending", 1}});
  configuration.parameters["cluster_size"] = 16;
  return configuration;
}

// Together they pass every barrier: tiles of several warps, moves within a warp and across, fused steps of
// each kind.
std::vector<Configuration> configurations() {
  return {
      changed("shared", {{"block_size_x", 128},
                         {"loop_unroll_factor_pairs", 1},
                         {"shared_padding", 0},
                         {"tile_size", 1024},
                         {"vector_width", 1},
                         {"warp_barriers", 1}}),
      changed("classic", {{"block_size_x", 128},
                          {"loop_unroll_factor_pairs", 1},
                          {"pairing", 2},
                          {"readonly_loads", 1},
                          {"tile_size", 1024},
                          {"vector_width", 2},
                          {"warp_shuffles", 1}}),
      changed("warp", {{"block_size_x", 128},
                       {"items_per_thread", 4},
                       {"shuffle_steps", 0},
                       {"steps_per_pass", 2},
                       {"vector_width", 1}}),
      changed("rows", {{"block_size_x", 256},
                       {"items_per_thread", 16},
                       {"shuffle_steps", 0},
                       {"store_swaps", 0},
                       {"threads_per_row", 256},
                       {"vector_width", 1}}),
      changed("multiway", {{"block_size_x", 64},
                           {"items_per_thread", 4},
                           {"vector_width", 1},
                           {"shuffle_steps", 1},
                           {"gather_lanes", 8},
                           {"split_pivots", 5},
                           {"split_levels", 1},
                           {"split_threads", 128},
                           {"split_window", 0}}),
      changed("multiway", {{"block_size_x", 64},
                           {"items_per_thread", 4},
                           {"vector_width", 4},
                           {"shuffle_steps", 1},
                           {"gather_lanes", 8},
                           {"split_pivots", 5},
                           {"split_levels", 0},
                           {"split_window", 64}}),
      with_leaf_fill(100),
      with_leaf_fill(200),
      changed("counting", {{"count_parts", 0}, {"vector_width", 2}}),
      changed("counting", {{"count_parts", 8}, {"vector_width", 1}}),
      changed("counting",
              {{"count_parts", 8}, {"cluster_size", 4}, {"count_threads", 256}, {"dependent_launch", 0}}),
      changed("cluster",
              {{"cluster_size", 4}, {"block_size_x", 64}, {"items_per_thread", 16}, {"sending", 1}}),
      of_sixteen_blocks(),
      changed("radix", {{"block_size_x", 128}, {"items_per_thread", 7}, {"radix_bits", 8}}),
      changed("radix_pairs", {{"block_size_x", 128}, {"items_per_thread", 7}, {"radix_bits", 8}}),
      changed("radix_pairs",
              {{"block_size_x", 128}, {"items_per_thread", 7}, {"radix_bits", 8}, {"write_lanes", 16}}),
      changed("rows_by_place", {{"block_size_x", 256},
                                {"items_per_thread", 16},
                                {"threads_per_row", 256},
                                {"vector_width", 1},
                                {"store_swaps", 0}}),
      changed("merge_by_place",
              {{"block_size_x", 64}, {"items_per_thread", 4}, {"merge_threads", 64}, {"merge_items", 4}}),
      changed("multiway_by_place", {{"block_size_x", 64},
                                    {"items_per_thread", 4},
                                    {"compare_as_double", 1},
                                    {"split_pivots", 3},
                                    {"split_levels", 0},
                                    {"split_window", 64}}),
      changed("cluster_by_place",
              {{"cluster_size", 4}, {"block_size_x", 128}, {"items_per_thread", 8}, {"sending", 0}}),
  };
}

/// The ways of what chooses the first k keys: rows of parts of warps and of blocks, minima that a warp sorts
/// and that a block sorts, candidates that are too many; blocks and clusters that stream; rows that are
/// shorter than their candidates may be; samples that are unlucky.
std::vector<Try> first_keys_tries() {
  constexpr std::uint32_t too_small = 1;
  constexpr std::uint32_t too_large = 1U << 30;
  return {
      first_keys("select_rows", 5, {.n = 100, .rows = 8}, {{"threads_per_row", 8}, {"items_per_thread", 16}}),
      first_keys("select_rows", 20, {.n = 1000, .rows = 2},
                 {{"threads_per_row", 128},
                  {"items_per_thread", 8},
                  {"block_size_x", 128},
                  {"minima_per_thread", 1}}),
      first_keys("select_rows", 60, {.n = 1000, .rows = 2},
                 {{"threads_per_row", 128},
                  {"items_per_thread", 8},
                  {"block_size_x", 128},
                  {"minima_per_thread", 4},
                  {"candidate_factor", 4}}),
      first_keys("filter_rows", 20, {.n = 3000, .rows = 2}, {{"cluster_size", 1}}),
      first_keys("filter_rows", 20, {.n = 3000}, {{"cluster_size", 4}}),
      first_keys("filter_rows", 20, {.n = 900}, {{"cluster_size", 1}}),
      first_keys("filter_rows", 20, {.n = 3000}, {{"cluster_size", 1}}, too_small),
      first_keys("bin_rows", 20, {.n = 3000, .rows = 2}, {{"cluster_size", 1}}),
      first_keys("bin_rows", 20, {.n = 900}, {{"cluster_size", 1}}),
      first_keys("filter_array", 40, {.n = 6000}, {{"merge_runs", 0}}),
      first_keys("filter_array", 40, {.n = 6000}, {{"merge_runs", 1}, {"finish_blocks", 1}}, too_small),
      first_keys("bucket_array", 300, {.n = 8001}, {}),
      first_keys("bucket_array", 1100, {.n = 8001}, {{"bucket_capacity", 512}, {"bucket_threads", 256}}, too_large),
      first_keys("bucket_array", 300, {.n = 8001}, {}, too_small),
      first_keys("copied_rows", 8, {.n = 100, .rows = 300}, {}),
      first_keys("select_cluster", 20, {.n = 4000},
                 {{"cluster_size", 4}, {"block_size_x", 128}, {"items_per_thread", 8}}),
      first_keys("select_cluster", 32, {.n = 4000},
                 {{"cluster_size", 4},
                  {"block_size_x", 128},
                  {"items_per_thread", 8},
                  {"minima", 32},
                  {"candidate_factor", 2}}),
      first_keys("select_array", 20, {.n = 9000}, {{"sample_blocks", 8}}),
      first_keys("select_array", 20, {.n = 9000}, {{"sample_blocks", 1}}),
      first_keys("rows_topk", 20, {.n = 1000, .rows = 2}, {}),
      first_keys("cluster_topk", 20, {.n = 2000}, {}),
      first_keys("merge_topk", 20, {.n = 2000}, {}),
  };
}

/// All that is tried.
std::vector<Try> all_tries() {
  std::vector<Try> all;
  for (Configuration& configuration : configurations()) {
    const Problem problem = problem_for(configuration);
    all.push_back({std::move(configuration), problem});
  }
  if (!with_first_keys()) return all;
  for (Try& tried : first_keys_tries()) all.push_back(std::move(tried));
  return all;
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
  // Twelve times what the kernels as they are take for two sorts on average.
  constexpr time_t seconds_until_it_hangs = 5;
  const Barrier& barrier = all_barriers().at(number);
  const pid_t child = fork();
  if (child == 0) {
    setenv(left_out_variable, std::to_string(number).c_str(), 1);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto device = device_with(seed, headers_that_ask());
      // Kept for the other tests, whose kernels are these.
      const auto cache = std::make_shared<KernelCache>(KernelCache::default_directory());
      const Bench bench{device, std::make_shared<KernelStore>(device, cache)};
      for (const Try& tried : all_tries()) {
        if (!uses(tried.configuration.variant, barrier.path)) continue;
        limit_computing(seconds_until_it_hangs);
        if (!passes(bench, tried, seed)) _exit(1);
      }
      if (barrier.path.find("/multi/") == std::string::npos) continue;
      limit_computing(seconds_until_it_hangs);
      if (!merges_runs(device, cache, seed)) _exit(1);
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
    for (const Try& tried : all_tries()) {
      EXPECT_TRUE(passes(bench, tried, seed)) << tried.configuration.text() << ", seed " << seed;
    }
    EXPECT_TRUE(merges_runs(device, cache, seed)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace bitune::test
