#pragma once

/// \file
/// Launches that sort long segments, each by one digit after the other (kernels/segments/long_sort.cuh). A
/// variant that lists segments adds them to its plan, and their parameters, which begin with long_, to its
/// space. What they cost a key does not depend on how long the segments are.

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune::long_segments {

/// The headers of the kernels.
[[nodiscard]] std::vector<std::string_view> kernel_headers();

/// Keys of a tile, which who lists segments is to know (LongSegments::append).
[[nodiscard]] std::int64_t tile_keys(const Configuration& c);

/// The least length of what a variant lists as long; more than all keys where it never does.
using LeastOf = std::uint64_t (*)(const Configuration& c, const Problem& problem);

/// Where long segments are listed.
struct List {
  Address counters;  ///< ListCounters
  Address listed;    ///< a LongSegment for each
  std::uint64_t most_segments = 0;

  /// In the workspace, for those of a problem that have at least `least` keys. The counters are there
  /// already.
  static List make(PlanBuilder& builder, Address counters, const Problem& problem, std::uint64_t least);
};

/// Where keys lie, and what travels with them.
struct Items {
  Address keys;
  Address values;
};

/// What of the listed segments has one value of the highest digit: segments in other memory.
struct Buckets {
  Items items;
  Address begins;  ///< a u64 for each
  Address ends;
};

/// How many a segment has.
[[nodiscard]] std::uint64_t buckets_of_each(const Configuration& c);

/// Appends the launch that brings the listed segments' items to their buckets, which keep their order. Each
/// segment has more keys than a tile, and the problem makes no indices.
Buckets append_buckets(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
                       const DeviceInfo& device);

/// Appends the launch that sorts the listed ones of these, whose highest digits are equal. Others follow.
void append_in_bucket(PlanBuilder& builder, const List& list, const Items& buckets, const Problem& problem,
                      const Configuration& c, const DeviceInfo& device);

/// Whether that can be done: keys have an even number of digits, and a tile has fewer keys than a long
/// segment.
[[nodiscard]] bool can_make_buckets(const Problem& problem, const Configuration& c, LeastOf least);

/// Appends the launch that sorts the listed segments, from what the problem reads to what it writes; in
/// place, too. What it counts in the workspace needs not to be cleared. ends_plan: no launch follows.
void append(PlanBuilder& builder, const List& list, const Problem& problem, const Configuration& c,
            const DeviceInfo& device, bool ends_plan);

/// Adds the parameters, and what restricts them where a problem has long segments.
void add_to(SearchSpace& space, LeastOf least);

/// Sets the parameters to what is expected to be good.
void set_defaults(Configuration& c, const Problem& problem, const DeviceInfo& device, LeastOf least);

}  // namespace bitune::long_segments
