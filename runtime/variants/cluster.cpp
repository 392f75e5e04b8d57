// The variants `cluster` and `packed_clusters`: tiles in the registers of a cluster of blocks.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "kernels/cluster/cluster_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster {
namespace {

constexpr Kernel<Address, Address, U32, RowStride> cluster_kernel{"kernels/cluster/cluster_sort.cuh",
                                                                  "cluster_sort"};
constexpr Kernel<Address, Address, U64, U32, RowStride> packed_kernel{
    "kernels/cluster/packed_cluster_sort.cuh", "packed_cluster_sort"};

/// Keys that a block holds.
std::int64_t share(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

/// Whether blocks send each other their items. With two rows a register they have no choice.
bool sends(const Configuration& c) {
  const auto sending = c.parameters.find("sending");
  return sending != c.parameters.end() && sending->second == 1;
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t word = word_bytes(problem.key);
  return sends(c) ? layout::sending_cluster_bytes(c.at("block_size_x"), c.at("items_per_thread"),
                                                  c.at("cluster_size"), word)
                  : layout::padded_bytes(share(c), word);
}

/// The keys that clusters of this space hold at least: smaller arrays are one block's work.
constexpr std::uint64_t smallest_tile = 1024;

std::int64_t tile_for(std::uint64_t length) {
  return static_cast<std::int64_t>(std::max(smallest_tile, std::bit_ceil(length)));
}

/// `cluster`, or with two rows a register `packed_clusters`.
class ClusterVariant final : public Variant {
 public:
  explicit ClusterVariant(bool packed) : packed_(packed) {}

  std::string_view name() const noexcept override { return packed_ ? "packed_clusters" : "cluster"; }
  std::string_view description() const noexcept override {
    return packed_
               ? "as cluster, for keys of at most 16 bits: two rows a register, a key of each"
               : "tiles in the registers of a cluster of blocks, one launch, steps between blocks through "
                 "distributed shared memory";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {packed_ ? packed_kernel.header : cluster_kernel.header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;

 private:
  /// The default with at most so many blocks a cluster.
  [[nodiscard]] Configuration default_of(const Problem& problem, const DeviceInfo& device,
                                         std::int64_t most_ranks) const;

  bool packed_;
};

bool ClusterVariant::supports(const Problem& problem, const DeviceInfo& device) const {
  const std::uint64_t longest = size_of(problem.key) == 8 ? 65536 : 262144;
  return sorts_keys_alone(problem) && device.max_cluster_size >= 2 && device.warp_size == 32 &&
         problem.n <= longest && (!packed_ || size_of(problem.key) <= 2);
}

/// Rows that are too long for one block to sort them quickly; a single array sooner than many rows, since the
/// other multiprocessors are idle then. Two rows a register make half as many clusters, which must still fill
/// the device.
SearchSpace ClusterVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"cluster_size", packed_ ? std::vector<std::int64_t>{2, 4, 8} : std::vector<std::int64_t>{2, 4, 8, 16},
       "blocks a cluster"},
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"items_per_thread", {8, 16, 32}, "keys a thread holds in registers"},
      {"shuffle_steps", {0, 1, 2, 3, 5}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", packed_ ? std::vector<std::int64_t>{1, 4, 8} : std::vector<std::int64_t>{1, 4},
       "neighbouring keys a thread loads and stores at once"},
      {"imad_quarters",
       {0, 1, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
  };
  if (packed_) {
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
      cluster_fits_device(),
      {"the array fits the registers of the cluster, and fills more than half of them",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("cluster_size") * share(c) == tile_for(p.n);
       },
       {"cluster_size", "block_size_x", "items_per_thread"}},
      shared_memory_fits_block(shared_bytes),
      items_fit_registers(packed_ ? "min_blocks_per_sm" : ""),
  };
  if (packed_) {
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

Configuration ClusterVariant::default_of(const Problem& problem, const DeviceInfo& device,
                                         std::int64_t most_ranks) const {
  const std::int64_t tile = tile_for(problem.n);
  // As many blocks as keep 128 threads busy each. Few keys a thread are quick where there are few; many fit
  // where there are many.
  std::int64_t ranks = 2;
  while (ranks < most_ranks && tile / ranks > 1024) ranks *= 2;
  const std::int64_t a_block = tile / ranks;
  std::int64_t items = a_block <= 1024 || (a_block <= 2048 && ranks <= 8) ? 8 : a_block <= 8192 ? 16 : 32;
  while (items < 32 && a_block / items > device.max_threads_per_block) items *= 2;
  Configuration c{std::string(name()),
                  {{"cluster_size", ranks},
                   {"block_size_x", a_block / items},
                   {"items_per_thread", items},
                   {"shuffle_steps", 2},
                   {"vector_width", 1},
                   {"imad_quarters", 0}}};
  if (packed_) {
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

Configuration ClusterVariant::default_configuration(const Problem& problem, const DeviceInfo& device) const {
  const std::int64_t portable = std::min(8, device.max_cluster_size);
  // Larger clusters pay for one array, whose blocks send each other keys. Where the device turns out to have
  // no room for them, another variant sorts.
  if (!packed_ && problem.rows == 1 && device.largest_cluster_size() > portable) {
    Configuration large = default_of(problem, device, device.largest_cluster_size());
    if (sends(large)) return large;
  }
  return default_of(problem, device, portable);
}

Plan ClusterVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const auto ranks = as_count(c.at("cluster_size"));
  const std::uint64_t clusters = packed_ ? (problem.rows + 1) / 2 : problem.rows;
  const LaunchShape shape = cluster_for_each(clusters, c, shared_bytes(c, problem));
  const std::string arguments = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}", codec_arguments(problem.key, problem.order), c.at("block_size_x"),
      c.at("items_per_thread"), ranks, c.at("shuffle_steps"), c.at("vector_width"), c.at("imad_quarters"));
  if (packed_) {
    builder.launch(packed_kernel, fmt::format("{}, {}", arguments, c.at("min_blocks_per_sm")), shape,
                   keys_address(), input_address(), problem.rows, problem.n, RowStride{});
  } else {
    builder.launch(cluster_kernel, fmt::format("{}, {}", arguments, sends(c)), shape, keys_address(),
                   input_address(), problem.n, RowStride{});
  }
  Plan plan = builder.take(!packed_ && c.at("dependent_launch") == 1);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_cluster

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster/cluster_sort.cuh).
const Variant& cluster_variant() {
  static const of_cluster::ClusterVariant variant(false);
  return variant;
}

/// The same with two rows a register (kernels/cluster/packed_cluster_sort.cuh). A single array is one row.
const Variant& packed_clusters_variant() {
  static const of_cluster::ClusterVariant variant(true);
  return variant;
}

}  // namespace bitune
