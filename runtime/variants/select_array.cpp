// The variant `select_array`: the first few keys of one long array, by one pass of the whole device over
// memory, and little that waits before it and behind it.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/array_filter.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune {
namespace of_select_array {
namespace {

constexpr std::string_view header = "kernels/topk/select_array.cuh";
constexpr Kernel<Address, Address, Address, Address, OperandStride, U32, U32, U32> sample_kernel{
    header, "sample_minima"};
constexpr Kernel<Address, Address, Address, Address, Address, Address, OperandStride, U32, U32, Address, U32,
                 Address>
    finish_kernel{header, "select_candidates"};

/// Samples of a thread, which are under way at once.
constexpr std::int64_t samples_per_thread = 8;

std::int64_t rounded_k(const Problem& problem) { return static_cast<std::int64_t>(std::bit_ceil(problem.k)); }

/// Groups of candidates: twice as many as k at least.
std::int64_t finish_minima(const Problem& problem) {
  return std::max<std::int64_t>(32, 2 * rounded_k(problem));
}

/// Threads of each block that takes the sample.
std::int64_t sample_threads(const Configuration& c) {
  return c.at("samples") / c.at("sample_blocks") / samples_per_thread;
}

std::uint64_t sample_rank(const Configuration& c, const Problem& problem) {
  return sampling::bound_rank(as_count(c.at("samples")), problem.k, problem.n);
}

/// Samples that are up to the bound at most, but once in a million times.
std::uint64_t samples_up_to_bound(const Configuration& c, const Problem& problem) {
  const std::uint64_t all = as_count(c.at("samples"));
  return std::min(all, sampling::up_to_minimum(as_count(c.at("sample_minima")), sample_rank(c, problem)));
}

/// Candidates that the workspace has room for: no more are up to the bound, but once in a million times.
std::uint64_t room(const Configuration& c, const Problem& problem) {
  return sampling::room_for_rank(as_count(c.at("samples")), samples_up_to_bound(c, problem), problem.k,
                                 problem.n);
}

/// Whether registers hold the candidates in 99 of 100 calls. In the others they are filtered once more.
bool fits_registers(const Configuration& c, const Problem& problem) {
  return sampling::overflow_chance(as_count(c.at("samples")), samples_up_to_bound(c, problem),
                                   as_count(c.at("finish_threads") * c.at("finish_items")),
                                   problem.n) <= 0.01;
}

/// Candidates that are put in order at last, at most.
std::int64_t finish_capacity(const Configuration& c) { return 2 * c.at("finish_threads"); }

std::int64_t finish_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t item = merged_item_bytes(problem.key);
  return layout::filtered_row(c.at("finish_threads"), 0, finish_capacity(c), item)  // as many samples
      .bytes;
}

std::int64_t sample_bytes(const Configuration& c, const Problem& problem) {
  return layout::sampled_minima(sample_threads(c), c.at("sample_minima"), word_bytes(problem.key)).bytes;
}

class SelectArrayVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "select_array"; }
  std::string_view description() const noexcept override {
    return "the first few keys of one long array: one pass of the whole device that keeps what is not behind "
           "a bound from minima of random samples";
  }
  std::vector<std::string_view> kernel_headers() const override { return {header, ArrayFilter::header}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    if (!ArrayFilter::can_filter(problem, device) || problem.k == 0 ||
        finish_minima(problem) > layout::minima_of_warp()) {
      return false;
    }
    return default_is_valid(problem, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace SelectArrayVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"samples",
       {2048, 4096, 8192, 16384, 32768, 65536, 131072},
       "random keys from which the bound is taken"},
      {"sample_blocks", {1, 8, 16}, "blocks that take the sample"},
      {"sample_minima", {128, 256, 512}, "groups of samples whose smallest ones give the bound"},
      {"finish_threads", {256, 512, 1024}, "threads of the block that chooses among the candidates"},
      {"finish_items", {2, 4, 8, 16}, "candidates that a thread holds in registers"},
      compared_as_double(),
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  ArrayFilter::add_to(space);
  const std::vector<Restriction> own = {
      {"there are twice as many keys as samples at least, which whole warps take; the device has a "
       "cluster of so many blocks, whose threads have a group each at most",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t threads = sample_threads(c);
         const std::int64_t blocks = c.at("sample_blocks");
         return as_count(2 * c.at("samples")) <= p.n && threads >= 32 &&
                threads <= std::min(size_of(p.key) == 8 ? 512 : 1024, d.max_threads_per_block) &&
                blocks <= std::max(1, d.largest_cluster_size()) && c.at("sample_minima") / blocks <= threads;
       },
       {"samples", "sample_blocks", "sample_minima"}},
      {"the bound is among the first fifth of the sample's minima",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return 5 * sample_rank(c, p) <= as_count(c.at("sample_minima"));
       },
       {"samples", "sample_minima"}},
      {"the candidates fit one block's registers but once in a million times, and there are threads for "
       "twice as many minima of them as k",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         // Of 64-bit keys, as they are compared and moved, twice as many.
         const bool wide = size_of(p.key) == 8;
         const std::int64_t of_items = c.at("finish_items") * placed_item_registers(p.key) * (wide ? 2 : 1);
         const std::int64_t registers = of_items + finish_minima(p) / 16 + (wide ? 52 : 24);
         return c.at("finish_threads") <= d.max_threads_per_block &&
                registers * c.at("finish_threads") <= d.registers_per_block &&
                finish_minima(p) <= c.at("finish_threads") && fits_registers(c, p);
       },
       {"samples", "sample_minima", "finish_threads", "finish_items"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      shared_memory_fits_block(finish_bytes),
      dependent_launch_fits_device(),
  };
  space.restrictions.insert(space.restrictions.end(), own.begin(), own.end());
  return space;
}

Configuration SelectArrayVariant::default_configuration(const Problem& problem,
                                                        const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  Configuration c{
      std::string(name()),
      {{"samples", 2048},
       {"sample_blocks", 1},
       {"sample_minima", 256},
       {"block_size_x", std::min(512, device.max_threads_per_block)},
       {"vectors_per_thread", ArrayFilter::default_vectors(problem)},
       {"min_blocks_per_sm", 2},
       {"finish_threads", std::min(size_of(problem.key) == 8 ? 512 : 1024, device.max_threads_per_block)},
       {"finish_items", 16},
       {"compare_as_double", prefers_doubles(problem, device)},
       {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // A short array is read at once by as many threads as there are.
  while (c.at("vectors_per_thread") > 1 &&
         problem.n /
                 as_count(c.at("vectors_per_thread") * 16 / static_cast<std::int64_t>(size_of(problem.key))) <
             as_count(2 * device.sm_count * c.at("block_size_x"))) {
    c.parameters["vectors_per_thread"] /= 2;
  }
  // The smallest sample that lets few enough keys through.
  for (const std::int64_t samples : {8192, 16384, 32768, 65536, 131072, 4096, 2048}) {
    for (const std::int64_t items : {4, 8, 16}) {
      for (const std::int64_t minima : {256, 512}) {
        for (const std::int64_t blocks : {16, 8, 1}) {
          Configuration tried = c;
          tried.parameters["samples"] = samples;
          tried.parameters["sample_blocks"] = blocks;
          tried.parameters["sample_minima"] = minima;
          tried.parameters["finish_items"] = items;
          if (items == 16) tried.parameters["finish_threads"] = std::min(512, device.max_threads_per_block);
          if (!all.violation(tried, problem, device)) return tried;
        }
      }
    }
  }
  return c;
}

Plan SelectArrayVariant::plan(const Problem& problem, const Configuration& c,
                              const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const ArrayFilter::Between between = ArrayFilter::between(builder, problem, room(c, problem));
  const Address keys = address_of(Role::keys_in);
  const Address lengths = address_of(Role::lengths);
  const OperandStride length_bytes{Role::lengths};

  const std::string form = merged_arguments(problem, c);
  const std::string carrying = fmt::format("{}, {}", form, carried_bytes(problem) != 0);
  const std::int64_t ranks = c.at("sample_blocks");
  builder.launch(sample_kernel,
                 fmt::format("{}, {}, {}, {}, {}", carrying, sample_threads(c), samples_per_thread, ranks,
                             c.at("sample_minima")),
                 {.blocks = as_count(ranks),
                  .threads = static_cast<std::uint32_t>(sample_threads(c)),
                  .shared_bytes = as_count(sample_bytes(c, problem)),
                  .cluster = static_cast<std::uint32_t>(ranks)},
                 between.bound, between.count, keys, lengths, length_bytes, problem.n, problem.k,
                 sample_rank(c, problem));
  ArrayFilter::add_to(builder, problem, c, device, carrying, between);
  builder.launch(
      finish_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}, {}", form, problem.value_bytes, problem.index_bytes,
                  c.at("finish_threads"), c.at("finish_items"), finish_minima(problem), finish_capacity(c)),
      {.threads = static_cast<std::uint32_t>(c.at("finish_threads")),
       .shared_bytes = as_count(finish_bytes(c, problem))},
      address_of(Role::keys_out), keys, address_of(Role::values_out), address_of(Role::values_in),
      address_of(Role::indices_out), lengths, length_bytes, problem.n, problem.k, between.items, between.room,
      between.count);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_select_array

/// A bound from the minima of a random sample; the whole device streams the array past it, as filter_array
/// does; and one block chooses among the candidates, by their own minima (kernels/topk/select_array.cuh).
const Variant& select_array_variant() {
  static const of_select_array::SelectArrayVariant variant;
  return variant;
}

}  // namespace bitune
