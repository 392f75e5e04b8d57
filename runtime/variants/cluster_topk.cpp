// The variant `cluster_topk`: the first keys of what the registers of a cluster of blocks hold.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "model/key_type.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/place_cluster.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_cluster_topk {
namespace {

constexpr FirstKeysKernel<U32, U32> kernel{"kernels/cluster/place_cluster_first_keys.cuh",
                                           "place_cluster_first_keys"};

class ClusterTopkVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "cluster_topk"; }
  std::string_view description() const noexcept override {
    return "the first keys of arrays in the registers of a cluster of blocks: sorted whole, with their "
           "places";
  }
  std::vector<std::string_view> kernel_headers() const override { return {kernel.header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && device.warp_size == 32 && device.max_cluster_size >= 2 && problem.n <= 32768;
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace ClusterTopkVariant::space(const Problem&, const DeviceInfo&) const {
  return place_cluster::space(std::string(name()),
                              {"items and 34 registers besides fit a block's registers",
                               [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
                                 return registers_fit(
                                     c, c.at("items_per_thread") * placed_item_registers(p.key) + 34, 1, d);
                               },
                               {"items_per_thread", "block_size_x"}},
                              8);
}

Configuration ClusterTopkVariant::default_configuration(const Problem& problem,
                                                        const DeviceInfo& device) const {
  return place_cluster::default_configuration(std::string(name()), problem, device);
}

Plan ClusterTopkVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  launch_first_keys(
      builder, kernel,
      fmt::format("{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}",
                  codec_arguments(problem.key, problem.order),
                  placed_form(problem.key, c.at("compare_as_double") != 0), problem.value_bytes,
                  problem.index_bytes, c.at("block_size_x"), c.at("items_per_thread"), c.at("cluster_size"),
                  c.at("shuffle_steps"), c.at("imad_quarters"), c.at("sending") != 0),
      cluster_for_each(problem.rows, c, place_cluster::shared_bytes(c, problem)), problem.n, problem.k);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_cluster_topk

/// One launch for arrays, and rows, of up to 16 blocks' registers, on GPUs with distributed shared memory
/// (sm_90 on; kernels/cluster/place_cluster_first_keys.cuh).
const Variant& cluster_topk_variant() {
  static const of_cluster_topk::ClusterTopkVariant variant;
  return variant;
}

}  // namespace bitune
