#include "multi/split/split_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/multi/split_layout.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "multi/rank_plan.hpp"
#include "multi/split/split_launches.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune::multi {
namespace {

constexpr const char* bounds_header = "kernels/multi/split_bounds.cuh";
constexpr const char* split_header = "kernels/multi/split_keys.cuh";
constexpr std::uint64_t thread_items = 15;

Problem sort_of(KeyType key, Order order, std::uint64_t n, std::uint32_t value_bytes) {
  Problem problem{{.operation = value_bytes != 0 ? Operation::sort_pairs : Operation::sort,
                   .key = key,
                   .value_bytes = value_bytes,
                   .order = order,
                   .stable = value_bytes != 0},
                  {.n = n}};
  return problem;
}

bool is_for(const Terms& terms, const Device& device) {
  const std::size_t ranks = terms.lengths.size();
  return terms.reads_directly && !selects(terms.spec.operation) && ranks >= 2 &&
         ranks <= static_cast<std::size_t>(layout::most_split_parts()) &&
         RadixInPieces::takes(terms.spec.key, device.info());
}

void name_kernels(SplitPlan& plan, const SortSpec& spec, std::size_t ranks) {
  // Where something travels, NaNs are equal keys: as sorts have it.
  const std::string order =
      plan.bytes_of_item.carried != 0 ? tie_codec_arguments(spec.key, spec.order) : codec_arguments(spec.key, spec.order);
  plan.sample_kernel = {bounds_header, fmt::format("bitune::sample_keys<{}, {}>", order, split_threads)};
  plan.bounds_kernel = {bounds_header,
                        fmt::format("bitune::choose_bounds<{}, {}, {}>", order, ranks, bounds_threads)};
  plan.split_kernel = {split_header,
                       fmt::format("bitune::split_keys<{}, {}, {}, {}, {}, {}>", order, plan.bytes_of_item.carried,
                                   spec.index_bytes != 0, ranks, tile_threads, thread_items)};
  plan.tile = tile_threads * thread_items;
  plan.tile_shared_bytes = static_cast<std::uint32_t>(
      layout::split_tile_parts(tile_threads, static_cast<layout::Size>(thread_items),
                               static_cast<layout::Size>(plan.bytes_of_item.key),
                               static_cast<layout::Size>(ranks))
          .bytes);
}

/// Takes the next part of the workspace.
std::uint64_t take(SplitPlan& plan, std::uint64_t bytes) {
  return std::exchange(plan.bytes, plan.bytes + rounded_piece(bytes));
}

}  // namespace

std::optional<SplitPlan> SplitPlan::of(RankDevice& device, const Terms& terms, int rank, bool has_keys_out,
                                       const CopyRules& rules) {
  if (!is_for(terms, device.device())) return std::nullopt;
  SplitPlan plan;
  plan.sampling = sampling_of(terms.lengths);
  const auto cuts = sampled_cuts(plan.sampling, terms.results);
  if (!cuts) return std::nullopt;
  plan.cuts = *cuts;
  plan.least_chunk_bytes = rules.least_chunk_bytes;
  const SortSpec& spec = terms.spec;
  const std::size_t ranks = terms.lengths.size();
  const auto me = static_cast<std::size_t>(rank);
  const std::uint64_t n = terms.lengths[me];
  const std::uint64_t result = terms.results[me];
  const std::uint32_t carried = bitune::carried_bytes(spec);
  plan.bytes_of_item = {size_of(spec.key), carried};
  plan.word_bytes = static_cast<std::uint64_t>(bitune::word_bytes(spec.key));
  plan.room = split_room(plan.sampling, me);
  plan.sorted_room = multi::sorted_room(plan.sampling, plan.cuts, me, result);
  const std::uint64_t samples = plan.sampling.total();
  plan.samples = sort_of(KeyType::u32, Order::ascending, samples, sizeof(std::uint64_t));
  // As so many keys are sorted that a rank gets: of some more there may be no tuning.
  const Problem alone = sort_of(spec.key, spec.order, std::max<std::uint64_t>(result, 2), carried);
  const auto prepared = device.engine().prepare(alone);
  Problem sorted = alone;
  sorted.n = plan.sorted_room;
  plan.radix.emplace(sorted, prepared->selection.configuration, device.device().info());
  plan.rest = plan.radix->rest_memory();
  name_kernels(plan, spec, ranks);

  std::uint64_t sorter = 0;
  if (samples > 1) {
    static_cast<void>(device.engine().prepare(plan.samples));
    sorter = device.engine().workspace_size(plan.samples);
  }
  for (const KernelSource* kernel : {&plan.sample_kernel, &plan.bounds_kernel, &plan.split_kernel}) {
    device.prepare(*kernel);
  }
  for (const Plan& part : {plan.radix->counting(1), plan.radix->first_pass(1), plan.radix->rest(1, 0, 1)}) {
    for (const KernelSource& kernel : part.kernels) device.prepare(kernel);
  }

  plan.split_keys = take(plan, plan.room * plan.bytes_of_item.key);
  plan.split_carried = take(plan, plan.room * plan.bytes_of_item.carried);
  plan.unasked_keys = take(plan, has_keys_out ? 0 : result * plan.bytes_of_item.key);
  plan.words = take(plan, plan.sampling.counts[me] * plan.word_bytes);
  plan.indices = take(plan, plan.sampling.counts[me] * sizeof(std::uint64_t));
  plan.all_words = take(plan, samples * plan.word_bytes);
  plan.all_indices = take(plan, samples * sizeof(std::uint64_t));
  plan.split = take(plan, static_cast<std::uint64_t>(layout::split_words()) * sizeof(std::uint64_t));
  const auto classes = static_cast<std::uint64_t>(layout::split_classes(static_cast<layout::Size>(ranks)));
  const auto values = std::uint64_t{1} << layout::split_class_bits(static_cast<layout::Size>(ranks));
  plan.told = plan.bytes;
  plan.ticket = take(plan, sizeof(std::uint32_t));
  plan.class_counts = take(plan, static_cast<std::uint64_t>(layout::most_split_launches() *
                                                            layout::split_classes(layout::most_split_parts())) *
                                     sizeof(std::uint64_t));
  plan.tile_states = take(plan, (n / plan.tile + 1) * values * sizeof(std::uint64_t));
  plan.told_bytes = plan.bytes - plan.told;
  plan.counters = take(plan, classes * plan.radix->counters() * plan.radix->counter_bytes());
  plan.first_passes_bytes = plan.radix->first_pass_bytes(3 * ranks);
  plan.first_passes = take(plan, plan.first_passes_bytes);
  plan.rest_bytes = std::max(plan.rest.bytes, sorter);
  plan.rest_workspace = take(plan, plan.rest_bytes);
  return plan;
}

}  // namespace bitune::multi
