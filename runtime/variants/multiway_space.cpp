#include <utility>
#include <vector>

#include "model/key_type.hpp"
#include "runtime/variants/multiway_sizes.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/restrictions.hpp"

// The search space of the variant `multiway`, in three parts: runs and buckets, splitting, and launches.

namespace bitune::of_multiway {
namespace {

std::vector<Parameter> tile_parameters() {
  return {
      {"block_size_x", {64, 128, 256, 512, 1024}, "threads of a block that sorts a run or a bucket"},
      {"items_per_thread", {4, 8, 16, 32}, "keys a thread holds in registers"},
      {"shuffle_steps", {1, 2}, "most steps on lane bits that go by shuffles at the end of a stage"},
      {"vector_width", {1, 2, 4}, "neighbouring keys a thread loads and stores at once"},
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm", {1, 2}, "blocks a multiprocessor that the compiler must leave registers for"},
      {"gather_lanes", {4, 8, 32}, "threads that fetch a bucket's piece of one run"},
  };
}

std::vector<Parameter> splitting_parameters() {
  return {
      {"split_threads", {128, 256, 512}, "threads of a block that splits the runs at one rank"},
      {"split_pivots", {3, 5, 7}, "values tried in a round of splitting"},
      {"split_levels",
       {0, 1, 2},
       "launches of splitting: ranks far apart first, those between them within; 0: in the blocks that sort "
       "buckets"},
      {"split_window",
       {0, 64, 96},
       "keys of each run that are copied to shared memory, from around where it is likely to be split; 0: "
       "searched where they are"},
  };
}

std::vector<Parameter> launch_parameters() {
  return {
      {"dependent_launch",
       {0, 1, 2},
       "1: each launch begins while the one before it runs (sm_90 on); 2: while that one stores"},
  };
}

std::vector<Restriction> tile_restrictions() {
  return {
      block_fits_device(),
      vector_fits_access(),
      {"the array is longer than a run, or than the smallest there is",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return as_count(tile_size(c)) < p.n || tile_size(c) == smallest_tile;
       },
       {"block_size_x", "items_per_thread"}},
      {"there are at most 4096 runs",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return tile_count(c, p) <= most_tiles;
       },
       {"block_size_x", "items_per_thread"}},
      {"a thread holds a whole number of vectors",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("vector_width") <= c.at("items_per_thread");
       },
       {"items_per_thread", "vector_width"}},
  };
}

std::vector<Restriction> splitting_restrictions() {
  return {
      {"more than one level of splitting needs more than 32 buckets a level",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("split_levels") <= 1 || tile_count(c, p) > std::uint64_t{32}
                                                                    << (c.at("split_levels") - 1);
       },
       {"block_size_x", "items_per_thread", "split_levels"}},
      {"where there are no levels, split_threads is 256, which tells nothing then; where there are, "
       "split_window "
       "is 0",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return splits_in_buckets(c) ? c.at("split_threads") == 256 : c.at("split_window") == 0;
       },
       {"split_levels", "split_threads", "split_window"}},
      {"blocks that split runs of keys of 4 bytes at most have windows of them, where these fit: without, "
       "keys that are equal or in order would take twice as long",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return !splits_in_buckets(c) || c.at("split_window") != 0 || size_of(p.key) > 4 ||
                !windows_fit(c, p, d);
       },
       {"block_size_x", "items_per_thread", "min_blocks_per_sm", "split_levels", "split_pivots",
        "split_window"}},
      {"split_threads are at most the device's threads per block",
       [](const Configuration& c, const Problem&, const DeviceInfo& d) {
         return c.at("split_threads") <= d.max_threads_per_block;
       },
       {"split_threads"}},
      {"splitting fits the registers of its threads, without spilling any",
       splitting_fits_registers,
       {"block_size_x", "min_blocks_per_sm", "split_levels", "split_pivots", "split_threads"}},
  };
}

std::vector<Restriction> launch_restrictions() {
  return {
      shared_memory_fits_block(bucket_bytes),   shared_memory_fits_block(split_bytes),
      items_fit_registers("min_blocks_per_sm"), blocks_fit_multiprocessor(bucket_bytes),
      dependent_launch_fits_device(),
  };
}

template <class Item>
void append(std::vector<Item>& to, std::vector<Item> items) {
  for (Item& item : items) to.push_back(std::move(item));
}

}  // namespace

SearchSpace make_space() {
  SearchSpace space;
  append(space.parameters, tile_parameters());
  append(space.parameters, splitting_parameters());
  append(space.parameters, launch_parameters());
  append(space.restrictions, tile_restrictions());
  append(space.restrictions, splitting_restrictions());
  append(space.restrictions, launch_restrictions());
  return space;
}

}  // namespace bitune::of_multiway
