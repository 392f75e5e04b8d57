#include "runtime/variants/row_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/topk/bins_layout.hpp"
#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/sampling.hpp"

namespace bitune::row_filter {
namespace {

/// Which of the samples, or of the minima of their groups, is the bound.
std::uint64_t sample_rank(const Configuration& c, const Problem& problem, Method method) {
  return sampling::bound_rank(as_count(sample_count(c, method)), problem.k, longest_of(problem));
}

/// Groups of samples that have minima: few more samples than the bound's rank are up to it if these are four
/// times as many.
std::int64_t sample_groups(const Configuration& c, const Problem& problem) {
  const auto enough =
      static_cast<std::int64_t>(std::bit_ceil(4 * sample_rank(c, problem, Method::minima_and_bins)));
  return std::clamp<std::int64_t>(enough, 64,
                                  layout::most_groups(c.at("block_size_x") * c.at("cluster_size")));
}

std::int64_t shared_bytes(const Configuration& c, const Problem& problem, Method method) {
  const std::int64_t threads = c.at("block_size_x");
  const std::int64_t item = merged_item_bytes(problem.key);
  const std::int64_t sample =
      method == Method::minima_and_bins
          ? layout::sampled_minima(threads, sample_groups(c, problem), word_bytes(problem.key)).bytes
          : layout::padded_bytes(sample_count(c, method), item);
  return layout::filtered_row(threads, sample, c.at("candidates"), item).bytes +
         (method == Method::sorts ? 0 : layout::row_bins(threads, item).bytes);
}

/// Whether there are not more candidates than room, but once in a million times.
bool candidates_fit(const Configuration& c, const Problem& problem, Method method) {
  const std::uint64_t samples = as_count(sample_count(c, method));
  const std::uint64_t longest = longest_of(problem);
  const std::uint64_t room = as_count(c.at("candidates"));
  if (method != Method::minima_and_bins) return sampling::fits(samples, problem.k, room, longest);
  if (longest <= room) return true;
  const std::uint64_t groups = as_count(sample_groups(c, problem));
  const std::uint64_t rank = sample_rank(c, problem, method);
  const std::uint64_t up_to_bound = std::min(samples, sampling::up_to_minimum(groups, rank));
  return rank <= groups &&
         sampling::overflow_chance(samples, up_to_bound, room, longest) <= sampling::accepted_chance;
}

/// Longer rows are sooner read past a bound than put in order whole.
constexpr std::uint64_t longest_whole = 4096;

/// Keys of a vector of 16 bytes.
std::int64_t vector_keys(const Problem& problem) {
  return 16 / static_cast<std::int64_t>(size_of(problem.key));
}

/// Samples or candidates that a thread sorts.
std::int64_t sorted_items(const Configuration& c) {
  return std::max(c.at("samples_per_thread"), c.at("candidates") / c.at("block_size_x"));
}

/// Registers that a thread has for keys as they stream, or for what it sorts. Of 64-bit keys, whose shuffles
/// take copies, these are twice as many; so are the minima that a warp sorts. What goes to bins has its
/// number there.
std::int64_t registers(const Configuration& c, const Problem& problem, Method method) {
  const std::int64_t numbers = method == Method::sorts ? 0 : c.at("candidates") / c.at("block_size_x");
  const std::int64_t items = sorted_items(c) * merged_item_registers(problem.key) + numbers;
  const std::int64_t minima =
      method == Method::minima_and_bins ? sample_groups(c, problem) / 32 * word_bytes(problem.key) / 4 : 0;
  return std::max({c.at("vectors_per_thread") * 4, size_of(problem.key) == 8 ? 2 * items + 16 : items,
                   2 * minima}) +
         24;
}

/// The same as is best. Narrow keys are twice as many to compare.
std::int64_t registers_well(const Configuration& c, const Problem& problem, Method method) {
  return std::max(registers(c, problem, method) + (size_of(problem.key) <= 2 ? 4 : 0),
                  2 * sorted_items(c) * merged_item_registers(problem.key) + 20);
}

/// A device has no clusters but those of one block, or this many blocks. A segment has one block.
std::int64_t most_ranks(const Problem& problem, const DeviceInfo& device) {
  return problem.ragged ? 1 : std::max(1, device.max_cluster_size);
}

}  // namespace

std::uint64_t longest_of(const Problem& problem) noexcept {
  if (!problem.ragged) return problem.n;
  const std::uint64_t always = std::uint64_t{1} << (size_of(problem.key) == 8 ? 18 : 20);
  return std::min(problem.n, std::max(always, 16 * mean_length(problem)));
}

std::int64_t sample_count(const Configuration& c, Method method) {
  return c.at("block_size_x") * c.at("samples_per_thread") *
         (method == Method::minima_and_bins ? c.at("cluster_size") : 1);
}

SearchSpace FilteringVariant::space(const Problem&, const DeviceInfo&) const {
  const auto shared_of = [method = method_](const Configuration& c, const Problem& p) {
    return shared_bytes(c, p, method);
  };
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads a block"},
      {"vectors_per_thread", {1, 2, 4, 8}, "vectors of 16 bytes that a thread has under way"},
      {"samples_per_thread",
       {2, 4, 8, 16},
       "random keys of each thread of a block, from which the bound is taken"},
      {"candidates", {128, 256, 512, 1024, 2048, 4096, 8192, 16384}, "keys that a row's block has room for"},
      {"cluster_size", {1, 2, 4, 8, 16}, "blocks a row"},
      {"shuffle_steps",
       {1, 2, 3, 5},
       "most steps on lane bits that go by shuffles at the end of a stage, where a block sorts"},
      compared_as_double(),
      {"min_blocks_per_sm",
       {1, 2, 3, 4, 8},
       "blocks a multiprocessor that the compiler must leave registers for"},
      {"dependent_launch", {0, 1}, "whether the launch may begin while the one before it in the stream ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"a thread has at most 32 keys under way",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vectors_per_thread") * vector_keys(p) <= 32;
       },
       {"vectors_per_thread"}},
      {"there is room for k candidates and one for each thread, or for the whole row, and each thread sorts "
       "16 "
       "items at most, 8 of 64-bit keys",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const std::int64_t room = c.at("candidates");
         const std::int64_t threads = c.at("block_size_x");
         return layout::is_sorted_by(threads, room) && sorted_items(c) <= (size_of(p.key) == 8 ? 8 : 16) &&
                room >= threads && as_count(room) >= std::min(longest_of(p), p.k + as_count(threads));
       },
       {"block_size_x", "samples_per_thread", "candidates"}},
      {"fewer than k keys, or more than there is room for, are before the bound at most once in a million "
       "rows",
       [method = method_](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return candidates_fit(c, p, method);
       },
       {"block_size_x", "samples_per_thread", "candidates", "cluster_size"}},
      {"the device has clusters of so many blocks",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return c.at("cluster_size") <= most_ranks(p, d);
       },
       {"cluster_size"}},
      placed_words_may_be_doubles(),
      places_fit_doubles(),
      {"keys, or samples, candidates (twice those of 64 bits) or minima, and 24 registers besides, fit a "
       "block's "
       "registers, and min_blocks_per_sm times a multiprocessor's",
       [method = method_](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, registers(c, p, method), c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "vectors_per_thread", "samples_per_thread", "candidates", "min_blocks_per_sm"}},
      shared_memory_fits_block(shared_of),
      blocks_fit_multiprocessor(shared_of),
      dependent_launch_fits_device(),
  };
  return space;
}

bool FilteringVariant::can_filter(const Problem& problem, const DeviceInfo& device) const {
  return device.warp_size == 32 && problem.n <= longest_row && problem.k <= largest_k &&
         default_is_valid(problem, device);
}

Configuration FilteringVariant::default_configuration(const Problem& problem,
                                                      const DeviceInfo& device) const {
  const SearchSpace all = space(problem, device);
  const auto multiprocessors = static_cast<std::uint64_t>(device.sm_count);
  // As many blocks a row as there are multiprocessors, if a row is long enough.
  std::int64_t ranks = 1;
  while (2 * ranks <= most_ranks(problem, device) && problem.rows * as_count(2 * ranks) <= multiprocessors &&
         problem.n / as_count(2 * ranks) >= 4096) {
    ranks *= 2;
  }
  Configuration c{all.variant,
                  {{"block_size_x", std::min(512, device.max_threads_per_block)},
                   {"vectors_per_thread", std::min<std::int64_t>(4, 32 / vector_keys(problem))},
                   {"samples_per_thread", 2},
                   {"candidates", 1024},
                   {"cluster_size", ranks},
                   {"shuffle_steps", size_of(problem.key) == 8 ? 1 : 2},  // each takes copies of words
                   {"compare_as_double", prefers_doubles(problem, device)},
                   {"min_blocks_per_sm", 1},
                   {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  // The sample and what is not behind the bound are both sorted: the fewest that are enough, and room for
  // them.
  const std::uint64_t longest = longest_of(problem);
  std::optional<std::pair<double, Configuration>> best;
  const auto try_all = [&](std::int64_t usual, bool may_be_larger) {
    const std::int64_t most_of_usual = usual * (size_of(problem.key) == 8 ? 8 : 16);
    for (const std::int64_t room : {1024, 2048, 4096, 8192, 16384}) {
      if (room > most_of_usual && !may_be_larger) continue;
      for (const std::int64_t samples : {2, 4, 8, 16}) {
        c.parameters["candidates"] = room;
        c.parameters["samples_per_thread"] = samples;
        c.parameters["block_size_x"] =
            std::min<std::int64_t>(room > most_of_usual ? 1024 : usual, device.max_threads_per_block);
        if (all.violation(c, problem, device)) continue;
        const auto taken = static_cast<double>(sample_count(c, method_));
        const auto rank =
            static_cast<double>(sampling::bound_rank(as_count(sample_count(c, method_)), problem.k, longest));
        // Of a usual segment there is no sample. A sample that is not sorted costs less.
        const double of_sample = method_ == Method::minima_and_bins ? taken / 8 : taken;
        const double sorted = problem.ragged ? static_cast<double>(room)
                                             : of_sample + rank * static_cast<double>(longest) / taken;
        if (!best || sorted < best->first) best = {sorted, c};
      }
    }
  };
  const auto fits_with = [&](std::int64_t blocks) {
    c.parameters["min_blocks_per_sm"] = blocks;
    return registers_fit(c, registers_well(c, problem, method_), blocks, device) &&
           !all.violation(c, problem, device);
  };
  // Of a short row there is room for all where much is wanted: no sample is taken. A thread has 8 keys, or 4
  // of 64 bits.
  if (!problem.ragged && problem.n <= longest_whole && problem.k > problem.n / 16) {
    const auto room = static_cast<std::int64_t>(std::bit_ceil(std::max<std::uint64_t>(problem.n, 512)));
    c.parameters["candidates"] = room;
    c.parameters["block_size_x"] = room / (size_of(problem.key) == 8 ? 4 : 8);
    c.parameters["cluster_size"] = 1;
    for (const std::int64_t blocks : {8, 4, 3, 2, 1}) {
      if (fits_with(blocks)) return c;
    }
  }
  // Short segments have small blocks, if that is enough for the longest.
  if (problem.ragged && mean_length(problem) <= 1024) {
    try_all(128, false);
    if (!best) try_all(256, false);
  }
  if (!best) try_all(512, true);
  if (!best) return c;
  c = best->second;
  for (const std::int64_t blocks : {4, 3, 2}) {
    if (fits_with(blocks)) return c;
  }
  c.parameters["min_blocks_per_sm"] = 1;
  return c;
}

std::string arguments(const Problem& problem, const Configuration& c, Method method) {
  const std::string groups =
      method == Method::minima_and_bins ? fmt::format("{}, ", sample_groups(c, problem)) : "";
  return fmt::format("{}, {}, {}, {}, {}, {}, {}{}, {}, {}, {}", merged_arguments(problem, c),
                     problem.value_bytes, problem.index_bytes, c.at("block_size_x"),
                     c.at("vectors_per_thread"), c.at("samples_per_thread"), groups, c.at("candidates"),
                     c.at("cluster_size"), c.at("shuffle_steps"), c.at("min_blocks_per_sm"));
}

LaunchShape launch_shape(const Problem& problem, const Configuration& c, Method method) {
  return cluster_for_each(problem.rows, c, shared_bytes(c, problem, method));
}

}  // namespace bitune::row_filter
