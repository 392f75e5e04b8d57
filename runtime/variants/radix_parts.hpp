#pragma once

/// \file
/// What the variants `radix` and `radix_pairs` share: parameters, counting, sizes.

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune::radix_parts {

/// Keys of a tile.
[[nodiscard]] std::int64_t tile_size(const Configuration& c);

[[nodiscard]] std::int64_t digit_values(const Configuration& c);

[[nodiscard]] std::int64_t pass_count(const Configuration& c, const Problem& problem);

/// Shared memory of a block in a pass.
[[nodiscard]] std::int64_t pass_bytes(const Configuration& c, const Problem& problem);

/// Tiles of all keys.
[[nodiscard]] std::uint64_t tile_count(const Configuration& c, const Problem& problem);

/// The places in the workspace of what the passes count.
struct Counts {
  Address tickets;    ///< u32 that the passes count with
  Address digits;     ///< a counter for each digit of each pass
  Address look_back;  ///< counters of each tile's digits, twice
  /// u32 from the tickets on that are 0 when the first pass begins: all of the above, and of the last the
  /// first half.
  std::uint64_t cleared = 0;
};

/// The kernel that counts the digits of keys.
using CountKernel = Kernel<Address, Address, U64>;

/// Appends the launches that clear the counters and count the digits of keys_in. `codec`: of the words that
/// have the digits, as of codec_arguments. `tickets`: how many. `tiles`: of a pass.
Counts append_counting(PlanBuilder& builder, const CountKernel& kernel, std::string_view codec,
                       std::uint64_t tickets, std::uint64_t tiles, const Problem& problem,
                       const Configuration& c, const DeviceInfo& device);

/// The arrays of the passes over keys and what travels with them: pass i reads those at i, and writes those
/// at i + 1. The first ones are what the problem reads, the last ones what it writes; between these, items go
/// to the workspace and back.
struct PassArrays {
  std::vector<Address> keys;
  std::vector<Address> values;  ///< or indices; of no use where nothing travels
  bool makes_indices = false;
  bool keeps_keys = false;  ///< the problem writes no keys

  [[nodiscard]] std::uint64_t passes() const { return keys.size() - 1; }
  /// The name of the kernels' ValueSource.
  [[nodiscard]] std::string_view value_source(std::uint64_t pass) const {
    return makes_indices && pass == 0 ? "index" : "memory";
  }
  [[nodiscard]] bool writes_keys(std::uint64_t pass) const { return !keeps_keys || pass + 1 < passes(); }
};

/// No pass writes what it reads, even if the problem does.
PassArrays pass_arrays(PlanBuilder& builder, const Problem& problem, std::uint64_t passes);

/// What a variant's search tries.
struct SearchedValues {
  std::vector<std::int64_t> block_size_x;
  std::vector<std::int64_t> radix_bits;
  std::vector<std::int64_t> look_back;
  std::vector<std::int64_t> min_blocks_per_sm;
};

/// Of radix and radix_pairs: what ever won in a search on an H200.
[[nodiscard]] const SearchedValues& values_that_won();

/// The search space of a variant of this name.
[[nodiscard]] SearchSpace space(std::string_view name, const SearchedValues& values);

/// Of what sorts keys with values or indices.
[[nodiscard]] Parameter values_beside_keys();

/// Lowers what a device with less does not have until the space takes the configuration, or nothing is left
/// to lower.
void lower_to_device(Configuration& c, const SearchSpace& space, const Problem& problem,
                     const DeviceInfo& device);

}  // namespace bitune::radix_parts
