#include "runtime/variants/multiway_sizes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/multiway/multiway_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune::of_multiway {
namespace {

/// Bytes of splitting in a block of so many threads, in two groups: one for each end of a bucket.
std::int64_t splitting_bytes(const Configuration& c, const Problem& problem, std::int64_t threads) {
  const auto runs = static_cast<std::int64_t>(tile_count(c, problem));
  return 4 * layout::splitter_words(threads, 2, c.at("split_pivots"), c.at("split_window"), runs,
                                    word_bytes(problem.key), static_cast<std::int64_t>(size_of(problem.key)));
}

}  // namespace

std::int64_t tile_size(const Configuration& c) { return c.at("block_size_x") * c.at("items_per_thread"); }

std::uint64_t tile_count(const Configuration& c, const Problem& problem) {
  return parts_of(problem.n, as_count(tile_size(c)));
}

std::int64_t largest_tile(KeyType key, const DeviceInfo& device) {
  const std::int64_t threads =
      std::min<std::int64_t>(1024, std::bit_floor(static_cast<unsigned>(device.max_threads_per_block)));
  std::int64_t tile = threads * 128 / word_bytes(key);
  const std::int64_t besides = 4 * layout::piece_words(most_tiles, 1024, 4);
  while (tile > smallest_tile && padded_tile_bytes(tile, key) + besides > device.shared_bytes_per_block_optin)
    tile /= 2;
  return tile;
}

std::uint64_t most_keys(KeyType key, const DeviceInfo& device) {
  return std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max(),
                                 most_tiles * as_count(largest_tile(key, device)));
}

bool splits_in_buckets(const Configuration& c) { return c.at("split_levels") == 0; }

namespace {

/// Whether multiway_split keeps all that it holds in registers, as NVRTC 13.0 compiles it for sm_75 to
/// sm_121. A block of 512 threads leaves a thread 128 registers. Smaller ones have to leave room for other
/// blocks, where keys are of 4 bytes at most and there are not many pivots (its launch bounds).
bool split_kernel_spills(std::int64_t key_bytes, std::int64_t threads, std::int64_t pivots,
                         const DeviceInfo& device) {
  const bool is_wide = key_bytes > 4;
  if (threads > 256) return is_wide || pivots > 3 || device.compute_major >= 10;
  if (is_wide || pivots > 5) return false;
  return threads > 128;
}

}  // namespace

// A thread of a kernel that only splits has 128 registers; for seven pivots, and for five of 64 bits, 256. A
// bucket's thread that splits has 128.
bool splitting_fits_registers(const Configuration& c, const Problem& problem, const DeviceInfo& device) {
  if (splits_in_buckets(c)) {
    return c.at("block_size_x") * c.at("min_blocks_per_sm") * 128 <= device.registers_per_sm;
  }
  const std::int64_t pivots = c.at("split_pivots");
  const std::int64_t threads = c.at("split_threads");
  const auto key_bytes = static_cast<std::int64_t>(size_of(problem.key));
  const bool many = pivots > (key_bytes == 8 ? 3 : 5);
  return threads * (many ? 256 : 128) <= device.registers_per_block &&
         !split_kernel_spills(key_bytes, threads, pivots, device);
}

std::uint64_t fan_out(const Configuration& c, const Problem& problem) {
  const auto buckets = static_cast<double>(tile_count(c, problem));
  const double root = std::pow(buckets, 1.0 / static_cast<double>(c.at("split_levels")));
  return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::ceil(root)));
}

std::int64_t run_bytes(const Configuration& c, const Problem& problem) {
  return padded_tile_bytes(tile_size(c), problem.key);
}

std::int64_t bucket_bytes(const Configuration& c, const Problem& problem) {
  const std::int64_t threads = c.at("block_size_x");
  const std::int64_t tile = run_bytes(c, problem);
  const std::int64_t before = splits_in_buckets(c) ? splitting_bytes(c, problem, threads) : 0;
  const auto pieces = static_cast<std::int64_t>(tile_count(c, problem));
  return std::max(tile, before) + 4 * layout::piece_words(pieces, threads, c.at("gather_lanes"));
}

std::int64_t split_bytes(const Configuration& c, const Problem& problem) {
  return 4 * layout::split_words(c.at("split_threads"), c.at("split_pivots"),
                                 static_cast<std::int64_t>(tile_count(c, problem)), word_bytes(problem.key));
}

bool windows_fit(Configuration c, const Problem& problem, const DeviceInfo& device, std::int64_t window) {
  c.parameters["split_window"] = window;
  const std::int64_t bytes = bucket_bytes(c, problem);
  return bytes <= device.shared_bytes_per_block_optin &&
         c.at("min_blocks_per_sm") * (bytes + 1024) <= device.shared_bytes_per_sm;
}

}  // namespace bitune::of_multiway
