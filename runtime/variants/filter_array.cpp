// The variant `filter_array`: the first k keys of one long array, by one pass of the whole device over
// memory.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/network/network_layout.hpp"
#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/array_filter.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/first_keys_merge.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_filter_array {
namespace {

constexpr std::string_view filter_header = ArrayFilter::header;
constexpr std::string_view runs_header = "kernels/topk/candidate_runs.cuh";
constexpr Kernel<Address, Address, Address, Address, OperandStride, U32, U32, U32> sample_kernel{
    filter_header, "sample_bound"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, OperandStride, U32, U32, Address, U32,
                 Address>
    finish_kernel{filter_header, "filter_candidates"};
constexpr Kernel<Address, U32, Address, Address, Address, OperandStride, U32, U32> settle_kernel{
    runs_header, "settle_candidates"};
constexpr Kernel<Address, Address, Address, U32> runs_kernel{runs_header, "sort_candidates"};

/// How the sample is sorted: by a cluster of 8 blocks where it is large, or by one block.
struct SampleShape {
  std::int64_t ranks = 1;
  std::int64_t items = 8;
  std::int64_t threads = 0;
};

SampleShape sample_shape(const Configuration& c, const DeviceInfo& device) {
  SampleShape shape;
  if (device.max_cluster_size >= 8 && c.at("samples") >= 4096) shape.ranks = 8;
  shape.threads = c.at("samples") / shape.ranks / shape.items;
  return shape;
}

/// Candidates that a block of the last launches holds.
std::int64_t finished_at_once(const Configuration& c) {
  return c.at("finish_threads") * c.at("finish_items");
}

/// Candidates that the workspace has room for: whole runs.
std::uint64_t room(const Configuration& c, const Problem& problem) {
  const std::uint64_t least = sampling::room_for(as_count(c.at("samples")), problem.k, problem.n);
  const std::uint64_t run = as_count(finished_at_once(c));
  return parts_of(least, run) * run;
}

/// Samples of each thread of those that filter once more.
std::int64_t finish_samples(const Configuration& c) {
  return std::min<std::int64_t>(c.at("finish_items"), 4);
}

std::int64_t finish_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t item = merged_item_bytes(problem.key);
  if (c.at("merge_runs") != 0) return layout::padded_bytes(finished_at_once(c), item);
  return layout::filtered_row(c.at("finish_threads"),
                              layout::padded_bytes(c.at("finish_threads") * finish_samples(c), item),
                              finished_at_once(c), item)
      .bytes;
}

/// Whether the candidates that there is room for can be filtered once more.
bool fits_one_block(const Configuration& c, const Problem& problem) {
  const auto held = as_count(finished_at_once(c));
  if (held < problem.k + as_count(c.at("finish_threads"))) return false;
  if (size_of(problem.key) == 8 && c.at("finish_items") > 8) return false;  // they spill
  const std::uint64_t all = room(c, problem);
  // The kernel's own bound has a little more behind it than this one.
  return all <= held ||
         sampling::fits(as_count(c.at("finish_threads") * finish_samples(c)), problem.k, held * 3 / 4, all);
}

FirstKeysMerge merge_shape(const Configuration& c) {
  return {.threads = c.at("finish_threads"), .items = std::min<std::int64_t>(c.at("finish_items"), 8)};
}

class FilterArrayVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "filter_array"; }
  std::string_view description() const noexcept override {
    return "the first keys of one long array: one pass of the whole device that keeps what is not behind a "
           "bound from a random sample";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {filter_header, runs_header, FirstKeysMerge::header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!ArrayFilter::can_filter(problem, device) || problem.n < 512 || problem.k > problem.n / 4)
      return false;
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace FilterArrayVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"samples",
       {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536},
       "random keys from which the bound is taken"},
      {"merge_runs",
       {0, 1},
       "how the candidates are sorted: 0: filtered once more, by one cluster; 1: in runs, which are merged"},
      {"finish_threads", {64, 128, 256, 512, 1024}, "threads of a block that sorts candidates"},
      {"finish_items", {4, 8, 16}, "candidates that a thread sorts"},
      {"finish_blocks", {1, 2, 4, 8, 16}, "blocks that filter the candidates once more"},
      compared_as_double(),
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  ArrayFilter::add_to(space);
  const std::vector<Restriction> own = {
      {"there are twice as many keys as samples at least, and the sample fits a block, or a cluster of "
       "8",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const SampleShape shape = sample_shape(c, d);
         return as_count(2 * c.at("samples")) <= p.n && shape.threads >= 32 &&
                shape.threads <= d.max_threads_per_block &&
                shape.threads * (shape.items * merged_item_registers(p.key) + 34) <= d.registers_per_block &&
                layout::padded_bytes(shape.threads * shape.items, merged_item_bytes(p.key)) <=
                    d.shared_bytes_per_block_optin;
       },
       {"samples"}},
      {"finish_threads are at most the device's threads per block, and their candidates fit its registers",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t registers = c.at("finish_items") * merged_item_registers(p.key) + 34;
         return c.at("finish_threads") <= d.max_threads_per_block && registers <= 255 &&
                c.at("finish_threads") * registers <= d.registers_per_block;
       },
       {"finish_threads", "finish_items"}},
      {"what is filtered once more fits one block but once in a million times, and a cluster of the device "
       "does "
       "it; what is merged has one block a run",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (c.at("merge_runs") != 0) return c.at("finish_blocks") == 1;
         return c.at("finish_blocks") <= std::max(1, d.max_cluster_size) && fits_one_block(c, p);
       },
       {"samples", "merge_runs", "finish_threads", "finish_items", "finish_blocks"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      shared_memory_fits_block([](const Configuration& c, const Problem& p) {
        const std::int64_t merged =
            c.at("merge_runs") != 0 ? merge_shape(c).shared_bytes(merged_item_bytes(p.key)) : 0;
        return std::max(finish_bytes(c, p), merged);
      }),
      dependent_launch_fits_device(),
  };
  space.restrictions.insert(space.restrictions.end(), own.begin(), own.end());
  return space;
}

Configuration FilterArrayVariant::default_configuration(const Problem& problem,
                                                        const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  const std::int64_t most = std::min(512, device.max_threads_per_block);
  Configuration c{std::string(name()),
                  {{"samples", 256},
                   {"block_size_x", most},
                   {"vectors_per_thread", ArrayFilter::default_vectors(problem)},
                   {"min_blocks_per_sm", 2},
                   {"merge_runs", 1},
                   {"finish_threads", std::min<std::int64_t>(most, 256)},
                   {"finish_items", 8},
                   {"finish_blocks", 1},
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // A larger sample lets fewer keys through. It pays where there is more to read meanwhile.
  while (c.at("samples") < 16384 && as_count(c.at("samples")) * 128 < problem.n) {
    c.parameters["samples"] *= 2;
    if (all.violation(c, problem, device)) {
      c.parameters["samples"] /= 2;
      break;
    }
  }
  // Filtered once more where one block can.
  Configuration once_more = c;
  once_more.parameters["merge_runs"] = 0;
  once_more.parameters["finish_threads"] = most;
  once_more.parameters["finish_blocks"] = std::clamp(device.max_cluster_size, 1, 8);
  for (const std::int64_t items : {4, 8, 16}) {
    once_more.parameters["finish_items"] = items;
    if (!all.violation(once_more, problem, device)) return once_more;
  }
  if (all.violation(c, problem, device)) c.parameters["finish_items"] = 4;
  return c;
}

Plan FilterArrayVariant::plan(const Problem& problem, const Configuration& c,
                              const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const ArrayFilter::Between between = ArrayFilter::between(builder, problem, room(c, problem));
  const Address keys = address_of(Role::keys_in);
  const Address lengths = address_of(Role::lengths);
  const OperandStride length_bytes{Role::lengths};

  const std::string form = merged_arguments(problem, c);
  const std::string carrying = fmt::format("{}, {}", form, carried_bytes(problem) != 0);
  const SampleShape sample = sample_shape(c, device);
  builder.launch(
      sample_kernel, fmt::format("{}, {}, {}, {}", carrying, sample.threads, sample.items, sample.ranks),
      {.blocks = as_count(sample.ranks),
       .threads = static_cast<std::uint32_t>(sample.threads),
       .shared_bytes =
           as_count(layout::padded_bytes(sample.threads * sample.items, merged_item_bytes(problem.key))),
       .cluster = static_cast<std::uint32_t>(sample.ranks)},
      between.bound, between.count, keys, lengths, length_bytes, problem.n, problem.k,
      sampling::bound_rank(as_count(c.at("samples")), problem.k, problem.n));

  ArrayFilter::add_to(builder, problem, c, device, carrying, between);

  const LaunchShape finish{.blocks = as_count(c.at("finish_blocks")),
                           .threads = static_cast<std::uint32_t>(c.at("finish_threads")),
                           .shared_bytes = as_count(finish_bytes(c, problem)),
                           .cluster = static_cast<std::uint32_t>(c.at("finish_blocks"))};
  if (c.at("merge_runs") == 0) {
    builder.launch(finish_kernel,
                   fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}", form, problem.value_bytes,
                               problem.index_bytes, c.at("finish_threads"), 4, finish_samples(c),
                               finished_at_once(c), c.at("finish_blocks"), 2),
                   finish, address_of(Role::keys_out), keys, address_of(Role::values_out),
                   address_of(Role::values_in), address_of(Role::indices_out), lengths, length_bytes,
                   problem.n, problem.k, between.items, between.room, between.count);
  } else {
    const std::int64_t settling = std::min(1024, device.max_threads_per_block);
    builder.launch(settle_kernel, fmt::format("{}, {}", carrying, settling),
                   {.threads = static_cast<std::uint32_t>(settling), .shared_bytes = 4 * 257}, between.items,
                   between.room, between.count, keys, lengths, length_bytes, problem.n, problem.k);
    const FirstKeysMerge merge = merge_shape(c);
    const std::uint64_t run = as_count(finished_at_once(c));
    const std::uint64_t kept = merge.kept_of(run, problem);
    const FirstKeysRuns runs{.count = between.room / run, .items = kept, .last = kept};
    const Address sorted = builder.workspace(runs.count * kept * as_count(merged_item_bytes(problem.key)));
    builder.launch(
        runs_kernel,
        fmt::format("{}, {}, {}, {}, {}", form, c.at("finish_threads"), c.at("finish_items"), 2, 1),
        {.blocks = runs.count,
         .threads = static_cast<std::uint32_t>(c.at("finish_threads")),
         .shared_bytes = as_count(finish_bytes(c, problem))},
        sorted, between.items, between.count, kept);
    merge.add_to(builder, problem, form, sorted, runs);
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_filter_array

/// A random sample gives a bound that is a little behind the k-th key. The whole device streams the array
/// past it, and the few candidates that are not behind it are sorted (kernels/topk/filter_array.cuh).
const Variant& filter_array_variant() {
  static const of_filter_array::FilterArrayVariant variant;
  return variant;
}

}  // namespace bitune
