// The variant `cluster_by_place`: keys with values or indices in the registers of a cluster of blocks.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/place_cluster.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster_by_place {
namespace {

constexpr CarriedKernel<U32> kernel{"kernels/cluster/place_cluster_sort.cuh", "place_cluster_sort"};

class ClusterByPlaceVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "cluster_by_place"; }
  std::string_view description() const noexcept override {
    return "keys with their places in the registers of a cluster of blocks, one launch; values or indices; "
           "stable";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && device.warp_size == 32 &&
           device.max_cluster_size >= 2 && problem.n <= 32768;
  }
  /// One array sooner than many rows, since the other multiprocessors are idle then.
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace ClusterByPlaceVariant::space(const Problem&, const DeviceInfo&) const {
  return place_cluster::space(
      std::string(name()),
      {"items, with a key and a value each, and 34 registers besides fit a block's registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t key = writes_keys(p) ? 1 : 0;
         const std::int64_t item = placed_item_registers(p.key) + key + (p.value_bytes + 3) / 4;
         return registers_fit(c, c.at("items_per_thread") * item + 34, 1, d);
       },
       {"items_per_thread", "block_size_x"}},
      16);
}

Configuration ClusterByPlaceVariant::default_configuration(const Problem& problem,
                                                           const DeviceInfo& device) const {
  return place_cluster::default_configuration(std::string(name()), problem, device);
}

Plan ClusterByPlaceVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  launch_carrying(
      builder, kernel,
      fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
                  codec_arguments(problem.key, problem.order),
                  placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                  problem.index_bytes, writes_keys(problem), c.at("block_size_x"), c.at("items_per_thread"),
                  c.at("cluster_size"), c.at("shuffle_steps"), c.at("imad_quarters"), c.at("sending") != 0),
      cluster_for_each(problem.rows, c, place_cluster::shared_bytes(c, problem)), problem.n);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_cluster_by_place

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster/place_cluster_sort.cuh).
const Variant& cluster_by_place_variant() {
  static const of_cluster_by_place::ClusterByPlaceVariant variant;
  return variant;
}

}  // namespace bitune
