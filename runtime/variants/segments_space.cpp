#include <algorithm>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/long_segments.hpp"
#include "runtime/variants/restrictions.hpp"
#include "runtime/variants/segments_sizes.hpp"

namespace bitune::of_segments {
namespace {

/// Registers of a lane that sorts tiles of up to lane_items: as few as the compiler was seen to need. It
/// takes up to twice as many where it may.
std::int64_t lane_registers(const Configuration& c, const Problem& problem) {
  const std::int64_t of_item = sorts_by_leading_bits(c, problem) ? 1 : item_registers(problem);
  const std::int64_t words = c.at("lane_items") * of_item;
  return (carries(problem) ? words * 3 / 2 : words) + 32;
}

}  // namespace

SearchSpace make_space() {
  SearchSpace space;
  space.parameters = {
      {"block_size_x", {64, 128, 256}, "threads of a block that sorts short segments"},
      {"segments_per_block", {8, 16, 32, 64, 128, 256, 512}, "segments that such a block takes"},
      {"lane_items",
       {4, 8, 16, 18, 27, 32},
       "keys of a lane there, at most: a warp holds 32 times as many. With 18 and 27 three words of 32 bits "
       "are compared at once: of longer keys, and with values, their leading bits"},
      {"copied_keys", copied_keys_values(),
       "keys that such a block copies to shared memory and back, where its segments have no more"},
      {"block_lists", {0, 1, 2, 3, 4, 5, 6, 7, 8}, "classes of length that have a block for each segment"},
      {"list_octaves", {1, 2, 3, 4, 5}, "doublings of the length from one of these classes to the next"},
      {"block_items", {8, 16, 32}, "keys of a thread there"},
      {"shuffle_steps", {0, 2}, "most steps on lane bits there that go by shuffles"},
      compared_as_double(),
      {"imad_quarters",
       {0, 2},
       "of four maxima, how many are computed as a + b - min(a, b) on the multiplier's pipe"},
      {"min_blocks_per_sm",
       {1, 4, 5, 6, 8, 10, 12, 20, 24},
       "blocks for short segments that the compiler must leave registers for on a multiprocessor"},
      {"long_buckets",
       {0, 1},
       "whether what no block sorts is cut by its highest digit, and sorted as segments; else digit by "
       "digit"},
      {"dependent_launch", {0, 1}, "whether launches may begin while the one before them ends"},
  };
  space.restrictions = {
      block_fits_device(),
      {"compare_as_double is 1 for keys of 32 bits with values or indices alone",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("compare_as_double") == 0 || (carries(p) && size_of(p.key) == 4);
       },
       {"compare_as_double"}},
      // No other value won there by 2 %, nor did comparators that move (moving_comparator.cuh).
      {"imad_quarters is 0 with values or indices",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("imad_quarters") == 0 || !carries(p);
       },
       {"imad_quarters"}},
      {"a block has at most four segments a thread",
       [](const Configuration& c, const Problem&, const DeviceInfo&) {
         return c.at("segments_per_block") <= 4 * c.at("block_size_x");
       },
       {"segments_per_block", "block_size_x"}},
      {"copied_keys is 0, or a quarter to sixteen times as many keys as a block's segments have on average",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) { return copies_what_is_there(c, p); },
       {"copied_keys", "segments_per_block"}},
      {"copied_keys is 0 where warps sort by leading bits: by 18 or 27 lane_items of more than 32 bits",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("copied_keys") == 0 || !sorts_by_leading_bits(c, p);
       },
       {"copied_keys", "lane_items"}},
      {"no list is for segments that are longer than all keys, and one list is enough where there is none",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const int lists = list_count(c);
         return lists == 0 ? c.at("list_octaves") == 1 : lists_of(c, p).longest(lists - 2) < p.n;
       },
       {"lane_items", "block_lists", "list_octaves"}},
      {"a list's block has from one warp to as many threads as the device, its registers and its shared "
       "memory allow",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const layout::BlockLists lists = lists_of(c, p);
         for (int list = 0; list < list_count(c); ++list) {
           if (!tile_for(lists.longest(list), c, p).fits(d)) return false;
         }
         return true;
       },
       {"lane_items", "block_lists", "list_octaves", "block_items", "shuffle_steps"}},
      // A tile of a digit pass costs as much as a thousand keys or more, however few it has.
      // And lists of several doublings never won there.
      {"of 2^20 keys and more, blocks sort segments of up to 4096 keys, with a list for each doubling",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return p.n < std::uint64_t{1} << 20 || (longest_of_block(c, p) >= 4096 && c.at("list_octaves") == 1);
       },
       {"lane_items", "block_lists", "list_octaves"}},
      shared_memory_fits_block(shared_bytes),
      {"a register for each word of lane_items keys (with places, one and a half) and 32 besides, for "
       "block_size_x threads, fit a block's registers, and min_blocks_per_sm times a multiprocessor's",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return registers_fit(c, lane_registers(c, p), c.at("min_blocks_per_sm"), d);
       },
       {"lane_items", "block_size_x", "min_blocks_per_sm"}},
      blocks_fit_multiprocessor(shared_bytes),
      dependent_launch_fits_device(),
      {"buckets are made of what a tile does not hold, where there are lists, values or keys alone, and an "
       "even number of digits",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         return c.at("long_buckets") == 0 ||
                (list_count(c) != 0 && least_long(c, p) <= p.n &&
                 long_segments::can_make_buckets(p, with_long(c, p, d), least_long));
       },
       {"lane_items", "block_lists", "list_octaves", "long_buckets"}},
      // Last, as it takes longest to tell.
      {"what is longer than a block holds can be sorted digit by digit",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         if (least_long(c, p) > p.n) return true;
         SearchSpace of_long;
         long_segments::add_to(of_long, least_long);
         const Configuration whole = with_long(c, p, d);
         return std::all_of(of_long.restrictions.begin(), of_long.restrictions.end(),
                            [&](const Restriction& r) { return r.holds(whole, p, d); });
       },
       {"lane_items", "block_lists", "list_octaves"}},
  };
  return space;
}

}  // namespace bitune::of_segments
