#include "multi/split/split_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "multi/rank_plan.hpp"
#include "multi/split/split_launches.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune::multi {
namespace {

constexpr const char* bounds_header = "kernels/multi/split_bounds.cuh";
constexpr const char* count_header = "kernels/multi/count_classes.cuh";
constexpr const char* split_header = "kernels/multi/split_keys.cuh";

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
  return !selects(terms.spec.operation) && ranks >= 2 && ranks <= most_split_parts &&
         RadixInPieces::takes(terms.spec.key, device.info());
}

}  // namespace

void SplitPlan::name_kernels(const SortSpec& spec, std::size_t ranks, const DeviceInfo& device) {
  // Where something travels, NaNs are equal keys: as sorts have it.
  const std::string order = bytes_of_item.carried != 0 ? tie_codec_arguments(spec.key, spec.order)
                                                       : codec_arguments(spec.key, spec.order);
  const auto parts = static_cast<layout::Size>(ranks);
  const auto key_bytes = static_cast<layout::Size>(bytes_of_item.key);
  const auto digit_bits = static_cast<layout::Size>(radix->digit_bits());
  layout::Size copies = 32;
  const auto counter_words = [&] {
    return layout::count_classes_words(parts, 8 * key_bytes, digit_bits, copies);
  };
  while (copies > 1 && 4 * counter_words() > device.shared_bytes_per_block_optin) copies /= 2;
  count_shared_bytes = static_cast<std::uint64_t>(4 * counter_words());
  split_shared_bytes = static_cast<std::uint64_t>(layout::split_tile_parts(key_bytes, parts).bytes);

  sample_kernel = {bounds_header, fmt::format("bitune::sample_keys<{}, {}>", order, sample_threads)};
  bounds_kernel = {bounds_header, fmt::format("bitune::choose_bounds<{}, {}>", order, bounds_threads)};
  count_kernel = {count_header, fmt::format("bitune::count_classes<{}, {}, {}, {}, {}>", order, ranks,
                                            count_threads, digit_bits, copies)};
  place_kernel = {count_header, fmt::format("bitune::place_tiles<{}>", count_threads)};
  split_kernel = {split_header, fmt::format("bitune::split_keys<{}, {}, {}, {}>", order,
                                            bytes_of_item.carried, spec.index_bytes != 0, ranks)};
}

std::vector<KernelSource> SplitPlan::kernels() const {
  std::vector<KernelSource> kernels = {sample_kernel, bounds_kernel, count_kernel, place_kernel,
                                       split_kernel};
  for (const Plan& part : {radix->first_pass(1), radix->rest(1, 0, 1)}) {
    kernels.insert(kernels.end(), part.kernels.begin(), part.kernels.end());
  }
  return kernels;
}

std::optional<SplitPlan> SplitPlan::of(RankDevice& device, const Terms& terms, int rank, bool has_keys_out) {
  if (!is_for(terms, device.device())) return std::nullopt;
  SplitPlan plan;
  plan.sampling = sampling_of(terms.lengths);
  const auto cuts = sampled_cuts(plan.sampling, terms.results);
  if (!cuts) return std::nullopt;
  plan.cuts = *cuts;
  const SortSpec& spec = terms.spec;
  const std::size_t ranks = terms.lengths.size();
  const auto me = static_cast<std::size_t>(rank);
  const std::uint64_t n = terms.lengths[me];
  const std::uint64_t result = terms.results[me];
  const std::uint32_t carried = bitune::carried_bytes(spec);
  plan.bytes_of_item = {size_of(spec.key), carried};
  plan.word_bytes = static_cast<std::uint64_t>(bitune::word_bytes(spec.key));
  plan.tiles = (n + split_tile - 1) / split_tile;
  plan.classes = plan.cuts.size() + 1;
  const std::uint64_t samples = plan.sampling.total();
  plan.samples = sort_of(KeyType::u32, Order::ascending, samples, sizeof(std::uint64_t));
  // As so many keys are sorted that a rank gets: of some more there may be no tuning.
  Problem sorted = sort_of(spec.key, spec.order, std::max<std::uint64_t>(result, 2), carried);
  const auto prepared = device.engine().prepare(sorted);
  sorted.n = sorted_room(plan.sampling, plan.cuts, me, result);
  if (!terms.reads_directly) sorted.n += (split_launches + 2) * ranks * 2 * sent_alignment;
  plan.radix.emplace(sorted, prepared->selection.configuration, device.device().info());
  plan.rest = plan.radix->rest_memory();
  plan.name_kernels(spec, ranks, device.device().info());

  std::uint64_t sorter = 0;
  if (samples > 1) {
    static_cast<void>(device.engine().prepare(plan.samples));
    sorter = device.engine().workspace_size(plan.samples);
  }
  for (const KernelSource& kernel : plan.kernels()) device.prepare(kernel);

  constexpr std::uint64_t number = sizeof(std::uint64_t);
  plan.cut_room = multi::cut_room(plan.sampling, plan.cuts);
  const std::uint64_t room = n + plan.classes / 2 * plan.cut_room;
  plan.split_keys = take_piece(plan.bytes, room * plan.bytes_of_item.key);
  plan.split_carried = take_piece(plan.bytes, room * plan.bytes_of_item.carried);
  plan.unasked_keys = take_piece(plan.bytes, has_keys_out ? 0 : result * plan.bytes_of_item.key);
  plan.words = take_piece(plan.bytes, plan.sampling.counts[me] * plan.word_bytes);
  plan.indices = take_piece(plan.bytes, plan.sampling.counts[me] * number);
  plan.all_words = take_piece(plan.bytes, samples * plan.word_bytes);
  plan.all_indices = take_piece(plan.bytes, samples * number);
  plan.chosen = take_piece(plan.bytes, plan.cuts.size() * number);
  plan.bounds = take_piece(plan.bytes, plan.cuts.size() * 2 * number);
  plan.counted = take_piece(plan.bytes, split_launches * plan.counted_numbers() * number);
  plan.tile_counts = take_piece(plan.bytes, plan.classes * plan.tiles * sizeof(std::uint32_t));
  plan.tile_bases = take_piece(plan.bytes, plan.classes * plan.tiles * number);
  plan.first_passes_bytes = plan.radix->first_pass_bytes((split_launches + 2) * ranks);
  plan.first_passes = take_piece(plan.bytes, plan.first_passes_bytes);
  plan.rest_bytes = std::max(plan.rest.bytes, sorter);
  plan.rest_workspace = take_piece(plan.bytes, plan.rest_bytes);
  return plan;
}

}  // namespace bitune::multi
