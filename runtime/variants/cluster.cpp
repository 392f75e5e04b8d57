// The variants `cluster` and `cluster_pairs`: tiles in the registers of a cluster of blocks.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/definition.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/network_plan.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster {
namespace {

/// Keys that a block holds.
std::int64_t share(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// Whether blocks send each other their items; clusters of pairs have no choice.
bool sends(const Configuration& c) {
  const auto sending = c.parameters.find("sending");
  return sending != c.parameters.end() && sending->second == 1;
}

/// Bytes of RegisterTile::shared_words (register_tile.cuh), or of SendingClusterTile::shared_bytes.
std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t tile = padded_tile_bytes(share(c), problem.key);
  if (!sends(c)) return tile;
  const std::int64_t doublings = ceil_log2(static_cast<std::uint64_t>(c.at("cluster_size")));
  const bool has_third = c.at("cluster_size") > c.at("items_per_thread");
  constexpr std::int64_t arrivals_bytes = 8;
  return tile + (2 * doublings + 2 + (has_third ? 1 : 0)) * share(c) / 2 * word_bytes(problem.key) +
         (2 * doublings + (has_third ? 1 : 0)) * arrivals_bytes;
}

/// The keys that clusters of this space hold at least: smaller arrays are one block's work.
constexpr std::uint64_t smallest_tile = 1024;

std::int64_t tile_for(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max(smallest_tile, std::bit_ceil(length)));
}

/// What the two variants differ in.
struct Flavour {
  std::string_view name;
  std::string_view description;
  std::string_view header;
  bool pairs;
};

constexpr Flavour one_row{
    .name = "cluster",
    .description =
        "tiles in the registers of a cluster of blocks, one launch, steps between blocks through "
        "distributed shared memory",
    .header = "kernels/cluster/cluster_sort.cuh",
    .pairs = false};

constexpr Flavour two_rows{
    .name = "cluster_pairs",
    .description = "as cluster, for keys of at most 16 bits: two rows a register, a key of each",
    .header = "kernels/cluster/cluster_pair_sort.cuh",
    .pairs = true};

bool can_sort(const Flavour& flavour, const Problem& problem, const DeviceInfo& device) {
  const std::uint64_t longest = size_of(problem.key) == 8 ? 65536 : 262144;
  return sorts_keys_alone(problem) && device.max_cluster_size >= 2 && device.warp_size == 32 &&
         problem.n <= longest && (!flavour.pairs || size_of(problem.key) <= 2);
}

/// What is too long for a block, or for a single array to be sorted by one. Other clusters would be idle.
/// Pairs, where the device is full with half as many clusters.
bool is_best(const Flavour& flavour, const Problem& problem, const DeviceInfo& device) {
  const std::uint64_t bytes = problem.n * static_cast<std::uint64_t>(word_bytes(problem.key));
  const std::uint64_t most_of_one = device.largest_cluster_size() >= 16 ? 128u << 10 : 64u << 10;
  if (flavour.pairs && problem.rows < static_cast<std::uint64_t>(device.sm_count)) return false;
  return bytes > (problem.rows == 1 ? 4u << 10 : 128u << 10) &&
         bytes <= (problem.rows == 1 ? most_of_one : 512u << 10);
}

SearchSpace make_space(const Flavour& flavour) {
  SearchSpace space;
  space.parameters = {
      {"cluster_size",
       flavour.pairs ? std::vector<std::int64_t>{2, 4, 8} : std::vector<std::int64_t>{2, 4, 8, 16},
       "blocks a cluster"},
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {8, 16, 32}, "keys a thread holds in registers"},
      {"shuffle_steps", {0, 1, 2, 3, 5}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", flavour.pairs ? std::vector<std::int64_t>{1, 4, 8} : std::vector<std::int64_t>{1, 4},
       "neighbouring keys a thread loads and stores at once"},
      {"imad_quarters",
       {0, 1, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
  };
  if (flavour.pairs) {
    space.parameters.push_back({"min_blocks_per_sm",
                                {1, 2, 4},
                                "blocks a multiprocessor that the compiler must leave registers for"});
  } else {
    space.parameters.push_back({"sending",
                                {0, 1},
                                "1: blocks send each other their items, asynchronously; 0: they read and "
                                "write them, behind barriers of the cluster"});
    space.parameters.push_back(
        {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"});
  }
  space.restrictions = {
      block_fits_device(),
      vector_fits_access(),
      {"the device allows clusters of that size",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("cluster_size") <= d.largest_cluster_size();
       }},
      {"the array fits the registers of the cluster, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("cluster_size") * share(c) == tile_for(p.n);
       },
       {"cluster_size", "block_size_x", "items_per_thread"}},
      shared_memory_fits_block(shared_bytes),
      items_fit_registers(flavour.pairs ? "min_blocks_per_sm" : ""),
  };
  if (flavour.pairs) {
    space.restrictions.push_back(blocks_fit_multiprocessor(shared_bytes));
  } else {
    space.restrictions.push_back(dependent_launch_fits_device());
    space.restrictions.push_back(
        {"a thread has a key for each block of the cluster, or where they send, for every second one",
         [](const Configuration& c, const Problem&, const DeviceInfo&) {
           return c.at("cluster_size") <= c.at("items_per_thread") * (sends(c) ? 2 : 1);
         },
         {"cluster_size", "items_per_thread", "sending"}});
  }
  return space;
}

/// The default with at most so many blocks a cluster.
Configuration make_default_of(const Flavour& flavour, const Problem& problem, const DeviceInfo& device,
                              std::int64_t most_ranks) {
  const std::int64_t tile = tile_for(problem.n);
  // As many blocks as keep 128 threads busy each. Few keys a thread are quick where there are few; many fit
  // where there are many.
  std::int64_t ranks = 2;
  while (ranks < most_ranks && tile / ranks > 1024) ranks *= 2;
  const std::int64_t a_block = tile / ranks;
  std::int64_t items = a_block <= 1024 || (a_block <= 2048 && ranks <= 8) ? 8 : a_block <= 8192 ? 16 : 32;
  while (items < 32 && a_block / items > device.max_threads_per_block) items *= 2;
  Configuration c{{},
                  {{"cluster_size", ranks},
                   {"block_size_x", a_block / items},
                   {"items_per_thread", items},
                   {"shuffle_steps", 2},
                   {"vector_width", 1},
                   {"imad_quarters", 0}}};
  if (flavour.pairs) {
    c.parameters["min_blocks_per_sm"] = 1;
  } else {
    // Many rows hide each other's barriers.
    c.parameters["sending"] = 1;
    if (problem.rows > 1 || shared_bytes(c, problem) > device.shared_bytes_per_block_optin) {
      c.parameters["sending"] = 0;
    }
    c.parameters["dependent_launch"] = device.compute_major >= 9 ? 1 : 0;
  }
  return c;
}

Configuration make_default(const Flavour& flavour, const Problem& problem, const DeviceInfo& device) {
  const std::int64_t portable = std::min(8, device.max_cluster_size);
  // Larger clusters pay for one array, whose blocks send each other keys. Where the device turns out to have
  // no room for them, another variant sorts.
  if (!flavour.pairs && problem.rows == 1 && device.largest_cluster_size() > portable) {
    Configuration large = make_default_of(flavour, problem, device, device.largest_cluster_size());
    if (sends(large)) return large;
  }
  return make_default_of(flavour, problem, device, portable);
}

Plan make_plan(const Flavour& flavour, const Problem& problem, const Configuration& c) {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto ranks = static_cast<std::uint64_t>(c.at("cluster_size"));
  std::string template_arguments = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order), c.at("block_size_x"),
      c.at("items_per_thread"), ranks, c.at("shuffle_steps"), c.at("vector_width"), c.at("imad_quarters"));
  std::vector<Argument> arguments = {keys_argument(), input_argument(), u32_argument(problem.n),
                                     row_stride_argument()};
  if (flavour.pairs) {
    template_arguments += fmt::format(", {}", c.at("min_blocks_per_sm"));
    arguments.insert(arguments.begin() + 2, u64_argument(problem.rows));
  } else {
    template_arguments += fmt::format(", {}", c.at("sending") == 1);
  }
  const std::string_view kernel = flavour.pairs ? "cluster_pair_sort" : "cluster_sort";
  builder.launch({std::string(flavour.header), fmt::format("bitune::{}<{}>", kernel, template_arguments)},
                 (flavour.pairs ? (problem.rows + 1) / 2 : problem.rows) * ranks,
                 static_cast<std::uint32_t>(c.at("block_size_x")),
                 static_cast<std::uint64_t>(shared_bytes(c, problem)), arguments);
  Plan plan = builder.take();
  plan.launches.back().cluster = static_cast<std::uint32_t>(ranks);
  plan.launches.back().dependent = !flavour.pairs && c.at("dependent_launch") == 1;
  plan.out_of_place = true;
  return plan;
}

VariantDefinition definition_of(const Flavour& flavour) {
  return {.name = flavour.name,
          .description = flavour.description,
          .kernel_headers = {flavour.header},
          .supports = std::bind_front(can_sort, std::cref(flavour)),
          .suits = std::bind_front(is_best, std::cref(flavour)),
          .space = [&flavour](const Problem&, const DeviceInfo&) { return make_space(flavour); },
          .default_configuration = std::bind_front(make_default, std::cref(flavour)),
          .plan = [&flavour](const Problem& problem, const Configuration& configuration,
                             const DeviceInfo&) { return make_plan(flavour, problem, configuration); }};
}

}  // namespace
}  // namespace of_cluster

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster/cluster_sort.cuh).
const Variant& cluster_variant() {
  static const DefinedVariant variant(of_cluster::definition_of(of_cluster::one_row));
  return variant;
}

/// The same for pairs of rows (kernels/cluster/cluster_pair_sort.cuh). A single array is one row.
const Variant& cluster_pairs_variant() {
  static const DefinedVariant variant(of_cluster::definition_of(of_cluster::two_rows));
  return variant;
}

}  // namespace bitune
