// Every barrier of the kernels is needed, and the emulated device shows it: each is left out in turn, and a
// random order of threads must make the sort go wrong. The kernels as they are pass under the same orders.

#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "tests/support/pairs_check.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace {

constexpr std::string_view barriers[] = {"sync_block();",
                                         "sync_warp();",
                                         "Group::sync();",
                                         "wait_for_bytes(then);",
                                         "Tile::template barrier<false>();",
                                         "sync_cluster();"};

/// What a block waits for at its end, while others of its cluster read its shared memory. The emulated device
/// keeps that memory, so that such a barrier is not missed.
constexpr std::string_view barrier_at_end = "sync_cluster();  // others may read this block's until then";

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

/// Whether a header is another one, or includes it.
bool includes(std::string_view path, std::string_view other) {
  if (path == other) return true;
  const auto files = embedded_kernels();
  return std::any_of(files.begin(), files.end(), [&](const EmbeddedFile& file) {
    const std::string directive = "#include \"" + std::string(file.path) + "\"";
    const auto text =
        std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.path == path; })->text;
    return text.find(directive) != std::string_view::npos && includes(file.path, other);
  });
}

/// Whether the header is one of the variant's kernels'.
bool uses(std::string_view variant_name, std::string_view header) {
  const auto kernels = variant(variant_name).kernel_headers();
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](std::string_view kernel) { return includes(kernel, header); });
}

/// Whether the barriers of a header are left out. Those of what gives the first k keys, and of segments, are
/// not yet: most of them are on rare ways, for which there are no configurations below. (Asked as each test
/// begins, so it must be quick.)
bool is_tried(std::string_view path) {
  return path.find("platform") == std::string_view::npos && path.find("/topk/") == std::string_view::npos &&
         path.find("/segments/") == std::string_view::npos &&
         path.find("first_keys") == std::string_view::npos;
}

std::vector<Barrier> all_barriers() {
  std::vector<Barrier> found;
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (!is_tried(file.path)) continue;
    for (const std::string_view barrier : barriers) {
      for (std::size_t at = file.text.find(barrier); at != std::string_view::npos;
           at = file.text.find(barrier, at + 1)) {
        if (file.text.substr(at).starts_with(barrier_at_end)) continue;
        const auto line =
            1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        found.push_back({std::string(file.path), at, barrier.size(), static_cast<std::size_t>(line)});
      }
    }
  }
  return found;
}

std::vector<emulated::SourceFile> without(const Barrier& barrier) {
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (file.path != barrier.path) continue;
    std::string text(file.text);
    text.replace(barrier.position, barrier.length, ";");
    return {{barrier.path, text}};
  }
  return {};
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

/// Whether the keys came out sorted. What the emulator itself finds wrong with a kernel is caught, too.
bool passes(const Bench& bench, const Configuration& configuration, std::uint64_t seed) {
  try {
    const Problem problem = problem_for(configuration);
    if (problem.operation == Operation::sort_pairs) {
      return carries(bench, problem, configuration, Distribution::random, seed, true) &&
             carries(bench, problem, configuration, Distribution::special, seed, true);
    }
    return sorts(bench, problem, configuration, Distribution::random, seed) &&
           sorts(bench, problem, configuration, Distribution::few_distinct, seed);
  } catch (const Error& error) {
    return error.code() != ErrorCode::device;
  }
}

/// The variant's default with these parameters changed; the emulated device's limits allow all of them.
Configuration changed(std::string_view variant_name, const std::map<std::string, std::int64_t>& changes) {
  const Variant& family = variant(variant_name);
  DeviceInfo device;
  device.sm_count = 4;
  device.shared_bytes_per_block_optin = 65536;
  device.max_cluster_size = 8;
  Configuration configuration = family.default_configuration(problem(variant_name), device);
  for (const auto& [name, value] : changes) {
    EXPECT_EQ(configuration.parameters.count(name), 1u) << variant_name << " has no parameter " << name;
    configuration.parameters[name] = value;
  }
  const Problem sorted = problem(variant_name);
  const auto violation = family.space(sorted, device).violation(configuration, sorted, device);
  EXPECT_FALSE(violation) << configuration.text() << ": " << violation.value_or("");
  return configuration;
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
      changed("cluster_by_place",
              {{"cluster_size", 4}, {"block_size_x", 128}, {"items_per_thread", 8}, {"sending", 0}}),
  };
}

class LeftOutBarrier : public testing::TestWithParam<Barrier> {};
INSTANTIATE_TEST_SUITE_P(Kernels, LeftOutBarrier, testing::ValuesIn(all_barriers()),
                         [](const auto& parameter) {
                           std::string name =
                               parameter.param.path.substr(parameter.param.path.rfind('/') + 1);
                           return name.substr(0, name.find('.')) + "_line_" +
                                  std::to_string(parameter.param.line);
                         });

/// Ends the process when it has computed for so long from now on. Compilers, which are processes of their
/// own, and a busy machine take nothing of it.
void limit_computing(time_t seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  EXPECT_EQ(setitimer(ITIMER_PROF, &limit, nullptr), 0);
}

/// Whether one of three seeds tells that the barrier is not there. In a process of its own, as what such a
/// kernel does to memory is anybody's guess; and whether it ever ends is, too.
bool is_caught(const Barrier& barrier) {
  // Twelve times what the kernels as they are take for two sorts on average.
  constexpr time_t seconds_until_it_hangs = 5;
  const pid_t child = fork();
  if (child == 0) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto device = device_with(seed, without(barrier));
      const Bench bench{device, std::make_shared<KernelStore>(device, nullptr)};
      for (const Configuration& configuration : configurations()) {
        if (!uses(configuration.variant, barrier.path)) continue;
        limit_computing(seconds_until_it_hangs);
        if (!passes(bench, configuration, seed)) _exit(1);
      }
    }
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST_P(LeftOutBarrier, IsCaughtUnderOneOfThreeSeeds) {
  EXPECT_TRUE(is_caught(GetParam())) << "the barrier at " << GetParam()
                                     << " can be left out, or no configuration here passes it";
}

TEST(AllBarriers, KernelsAsTheyArePassUnderThreeSeeds) {
  EXPECT_FALSE(all_barriers().empty());
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Bench bench = make_bench(device_with(seed));
    for (const Configuration& configuration : configurations()) {
      EXPECT_TRUE(passes(bench, configuration, seed)) << configuration.text() << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace bitune::test
