#include "runtime/untuned_policy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/row_filter.hpp"

namespace bitune {
namespace {

/// Bytes of an array or a row, as the network sees its keys.
std::uint64_t network_bytes(const Problem& p) { return p.n * as_count(word_bytes(p.key)); }
std::uint64_t multiprocessors(const DeviceInfo& device) {
  return static_cast<std::uint64_t>(device.sm_count);
}

/// Where clearing and reading the counters costs less than the steps of a network.
bool favours_counting(const Problem& p, const DeviceInfo&) {
  return p.n >= (size_of(p.key) == 1 ? 2048u : 8192u);
}

/// Rows of one block each, with places. A few long rows are faster in several blocks each, the sooner where
/// these exchange items in a cluster.
bool favours_one_block(const Problem& p, const DeviceInfo& device) {
  if (p.rows == 1) return p.n <= (device.max_cluster_size >= 2 ? 1024u : 8192u);
  return p.n <= 8192 || p.rows >= multiprocessors(device) / 2;
}

/// Rows so long that the comparators of a network cost more than passes over all digits: the sooner, the
/// fewer digits there are, or the dearer a key with its place is. (One of 16 bits is half as dear.) So many
/// rows that clusters, of which a few run at once, would take turns.
bool favours_rows_by_digits(const Problem& p, const DeviceInfo& device) {
  const std::size_t bytes = size_of(p.key);
  if (bytes == 2 && p.index_bytes != 0 && p.n <= 16384) return false;
  const bool is_soon = bytes == 1 || bytes == 8;
  return p.n > (is_soon ? 768u : 2048u) &&
         p.rows > multiprocessors(device) / (p.n > 8192 || bytes == 8 ? 4 : 2);
}

bool favours_cluster_by_place(const Problem& p, const DeviceInfo& device) {
  if (p.rows > 1) return p.n > 16384;
  const bool is_long = size_of(p.key) == 8 || device.largest_cluster_size() < 16;
  return p.n > 1024 && p.n <= (is_long ? 16384u : 32768u);
}

/// Where two trips between blocks for each digit cost less than a network's comparators and steps between
/// them: the fewer digits, the sooner. Of rows, as long as clusters take few turns, or no block holds one.
bool favours_cluster_by_digits(const Problem& p, const DeviceInfo& device) {
  if (device.largest_cluster_size() < 16 || p.n > 65536) return false;
  if (p.rows > 1) {
    return p.n > 16384 || (p.n > 2048 && p.rows <= multiprocessors(device) / (p.n > 8192 ? 2 : 8));
  }
  if (size_of(p.key) <= 2) return p.n > 1024;
  return p.n > 4096 && p.n <= (size_of(p.key) == 8 ? 16384u : 32768u);
}

/// Arrays that no cluster holds, as long as two passes over words cost less than those over keys, one for
/// each digit.
bool favours_multiway_by_place(const Problem& p, const DeviceInfo&) {
  if (p.rows > 1 || size_of(p.key) == 1) return false;
  const int bits = size_of(p.key) > 2 ? 20 : p.value_bytes == 0 ? 18 : 17;
  return p.n > 32768 && p.n <= std::uint64_t{1} << bits;
}

bool favours_merge_by_place(const Problem& p, const DeviceInfo&) {
  return p.kind() == ShapeKind::rows || (p.n <= std::uint64_t{1} << 17 && size_of(p.key) > 1);
}

/// Two rows a register pay where there are enough of them, and where comparators take longer than memory.
bool favours_packed_rows(const Problem& p, const DeviceInfo& device) {
  return p.n >= 64 && p.rows >= 4 * multiprocessors(device);
}

/// As for one block. A single row is faster where launches can overlap (`warp`, `cluster`).
bool favours_rows(const Problem& p, const DeviceInfo& device) {
  if (p.rows == 1 && device.compute_major >= 9) return false;
  return network_bytes(p) <= 16u << 10 || p.rows >= multiprocessors(device) / 2;
}

/// What is too long for a block, and fits the registers of a cluster.
bool favours_cluster(const Problem& p, const DeviceInfo& device) {
  if (p.rows > 1) return network_bytes(p) > 128u << 10 && network_bytes(p) <= 512u << 10;
  const std::uint64_t most = device.largest_cluster_size() >= 16 ? 128u << 10 : 64u << 10;
  return network_bytes(p) > 4u << 10 && network_bytes(p) <= most;
}

bool favours_packed_clusters(const Problem& p, const DeviceInfo& device) {
  return p.rows >= multiprocessors(device) / 8 && favours_cluster(p, device);
}

bool favours_radix(const Problem& p, const DeviceInfo&) {
  return p.n >= std::uint64_t{1} << (size_of(p.key) == 8 ? 24 : 22);
}

/// Of wide keys, so many that the launches which only decide are few beside them.
bool favours_leading_digits(const Problem& p, const DeviceInfo&) {
  return size_of(p.key) == 8 && p.n >= std::uint64_t{1} << (sorts_keys_alone(p) ? 23 : 18);
}

/// Where it costs less to bring the keys to their buckets than to sort all of them a second time.
bool favours_samplesort(const Problem& p, const DeviceInfo&) { return network_bytes(p) >= 16u << 20; }

/// Rows that are too long for a cluster's shared memory; a single array sooner, since more blocks can sort
/// it.
bool favours_multiway(const Problem& p, const DeviceInfo&) {
  return network_bytes(p) > (p.rows == 1 ? 64u << 10 : 512u << 10);
}

/// So few that each multiprocessor has one or two: what counts is how long one takes.
bool are_few(const Problem& p, const DeviceInfo& device) { return p.rows <= 2 * multiprocessors(device); }

/// The first few of a short row. Of many rows of 32-bit keys, which are compared as numbers, a bound takes
/// fewer instructions soon.
bool favours_lane_lists(const Problem& p, const DeviceInfo& device) {
  if (p.k > p.n / 4) return false;
  if (are_few(p, device)) return p.n <= 512;
  if (size_of(p.key) != 4) return p.n <= (size_of(p.key) == 8 && p.k <= 8 ? 512u : 128u);
  return p.k <= 8 && p.n <= (p.rows <= 64 * multiprocessors(device) ? 128u : 32u);
}

/// Few keys of a row that registers hold. Of longer rows fewer: there a bound from more samples is closer. A
/// single row is soon sorted by a cluster.
bool favours_select_rows(const Problem& p, const DeviceInfo& device) {
  const std::uint64_t of_short = are_few(p, device)
                                     ? std::max(p.n / 16, std::min<std::uint64_t>(p.n / 2, 64))
                                     : std::max(p.n / 8, std::min<std::uint64_t>(p.n / 2, 128));
  const std::uint64_t most = std::min({of_short, (std::uint64_t{1} << 21) / p.n, p.rows == 1 ? 256 : p.n});
  return p.n <= 16384 && p.k <= most;
}

/// Many rows that fill a block's registers: while one is chosen from, the next is copied.
bool favours_persistent_rows(const Problem& p, const DeviceInfo& device) {
  return !are_few(p, device) && p.n > 8192 && p.n > std::bit_ceil(p.n) / 4 * 3 && p.k <= 64;
}

/// Arrays and a few rows that clusters hold all at once.
bool favours_select_cluster(const Problem& p, const DeviceInfo& device) {
  if (p.k > 256 || p.k > p.n / 16 || p.n <= 16384) return false;
  if (p.n <= 32768) return p.rows * parts_of(p.n, 16384) <= 2 * multiprocessors(device);
  return p.n <= static_cast<std::uint64_t>(device.largest_cluster_size()) << 13 &&
         p.rows * parts_of(p.n, 16384) <= multiprocessors(device);
}

/// More of these than minima bound: hundreds and thousands.
bool favours_bin_cluster(const Problem& p, const DeviceInfo& device) {
  return p.k > 256 && p.k <= std::min<std::uint64_t>(p.n / 8, 4096) && p.n > 16384 &&
         p.n <= static_cast<std::uint64_t>(device.largest_cluster_size()) << 14 &&
         p.rows * parts_of(p.n, 32768) <= multiprocessors(device);
}

/// Beyond what a cluster holds, each multiprocessor reads its share.
bool favours_select_array(const Problem& p, const DeviceInfo&) { return p.n > 1u << 17; }

/// A large part of many rows: what is selected is sorted by digits, in about the same time whatever the keys
/// are. Of short rows a network sorts most of the keys as soon.
bool favours_digit_rows(const Problem& p, const DeviceInfo& device) {
  if (p.n <= 512 || p.n > 32768 || p.k <= p.n / 8) return false;
  if (p.n > 4096) return p.rows >= multiprocessors(device);
  return !are_few(p, device) && (p.n > 2048 || p.k <= p.n / 2);
}

/// So much of a short row that all of it goes to bins. Of more than half of a row the bins would be uneven
/// where keys are: floats around 0 are.
bool favours_whole_bins(const Problem& p, const DeviceInfo& device) {
  return p.n > (are_few(p, device) ? 512u : 256u) && p.n <= 4096 && p.k <= p.n / 2;
}

/// A row that a cluster sorts before a block has read it.
bool favours_cluster_topk(const Problem& p, const DeviceInfo& device) {
  if (p.rows > 1 || p.n <= 1024 || device.max_cluster_size < 2) return false;
  return (p.n > 2048 && p.n <= 16384) || (p.n <= 32768 && p.k >= (p.n > 16384 ? 4096 : p.n / 2 + 1));
}

/// Candidates that a block of bins holds.
constexpr std::uint64_t most_in_bins = 7680;

/// Rows that are longer than registers hold, of which few keys are wanted.
bool favours_minima_rows(const Problem& p, const DeviceInfo&) {
  return p.n > 4096 && p.k <= std::min(p.n / 8, most_in_bins / 2) && p.rows > 1;
}

bool favours_bin_rows(const Problem& p, const DeviceInfo& device) {
  return favours_whole_bins(p, device) ||
         (p.n > 4096 && p.k <= std::min(p.n / 2, most_in_bins) && (p.rows > 1 || p.n <= 32768 || p.k <= 256));
}

/// More than a block puts in order, of more keys than one sorts; of an array sooner, which all
/// multiprocessors read.
bool favours_bucket_rows(const Problem& p, const DeviceInfo&) {
  return p.k <= p.n / 4 * 3 && p.n > (p.rows == 1 ? 32768u : 16384u);
}

bool favours_filter_array(const Problem& p, const DeviceInfo&) { return p.k <= p.n / 8 && p.n > 1u << 18; }

/// One pass, where no segment can be so long that it takes another one. Short segments share warps as they
/// are sorted.
bool favours_filter_segments(const Problem& p, const DeviceInfo&) {
  return mean_length(p) >= 256 && p.n == row_filter::longest_of(p);
}

/// Rows that no cluster holds, or so many that clusters take many turns: more keys than the launches cost
/// that find nothing to do. Keys alone, but those of 32 bits, are sorted as soon by a cluster that they fill.
bool favours_rows_as_segments(const Problem& p, const DeviceInfo& device) {
  const bool carries = carried_bytes(p) != 0;
  const std::size_t bytes = size_of(p.key);
  const auto has_more_than = [&p](int bits) { return p.n * p.rows > std::uint64_t{1} << bits; };
  if (p.n > 65536) return has_more_than(carries ? 19 : bytes <= 2 ? 22 : 20);
  if (device.largest_cluster_size() < 16) return p.n > 32768 && has_more_than(22);
  if (carries) return p.n > 32768 && bytes > 1 && has_more_than(bytes == 2 ? 22 : 21);
  const bool is_uneven = p.n > (bytes == 4 ? 16384u : 32768u) && p.n <= std::bit_ceil(p.n) / 4 * 3;
  return (is_uneven || (bytes == 4 && p.n > 32768)) && has_more_than(22);
}

/// A block for each segment at once, of segments that take several warps: fewer launches than by lists.
bool favours_direct_segments(const Problem& p, const DeviceInfo& device) {
  return p.rows <= 4 * multiprocessors(device) && mean_length(p) > 128 && mean_length(p) <= 16384;
}

bool always(const Problem&, const DeviceInfo&) { return true; }

/// For who tunes: nobody has measured where it is the fastest.
bool never(const Problem&, const DeviceInfo&) { return false; }

struct Preference {
  std::string_view variant;
  /// Whether the variant is expected to be the fastest of those that can, if none above it is.
  bool (*is_favoured)(const Problem&, const DeviceInfo&);
};

/// The first one that is favoured sorts. Where none is, the first one that can.
constexpr auto policy = std::to_array<Preference>({
    {"filter_segments", favours_filter_segments},
    {"segments_topk", always},
    {"direct_segments", favours_direct_segments},
    {"segments", always},
    {"rows_as_segments", favours_rows_as_segments},
    {"segments_radix", always},
    {"lane_lists", favours_lane_lists},
    {"persistent_rows", favours_persistent_rows},
    {"select_cluster", favours_select_cluster},
    {"bin_cluster", favours_bin_cluster},
    {"select_rows", favours_select_rows},
    {"select_array", favours_select_array},
    {"cluster_topk", favours_cluster_topk},
    {"digit_rows", favours_digit_rows},
    {"minima_rows", favours_minima_rows},
    {"bin_rows", favours_bin_rows},
    {"bucket_rows", favours_bucket_rows},
    {"filter_array", favours_filter_array},
    {"array_parts", always},
    {"rows_topk", favours_one_block},
    {"merge_topk", always},
    {"counting", favours_counting},
    {"rows_by_digits", favours_rows_by_digits},
    {"cluster_by_digits", favours_cluster_by_digits},
    {"rows_by_place", favours_one_block},
    {"cluster_by_place", favours_cluster_by_place},
    {"multiway_by_place", favours_multiway_by_place},
    {"merge_by_place", favours_merge_by_place},
    {"packed_rows", favours_packed_rows},
    {"rows", favours_rows},
    {"packed_clusters", favours_packed_clusters},
    {"cluster", favours_cluster},
    {"leading_digits", favours_leading_digits},
    {"radix_pairs", always},
    {"radix", favours_radix},
    {"samplesort", favours_samplesort},
    {"multiway", favours_multiway},
    {"warp", always},
    {"shared", always},
    {"global", always},
    {"classic", always},
    {"copied_rows", never},
});

/// The less, the sooner.
std::ptrdiff_t rank_of(const Variant& variant, const Problem& problem, const DeviceInfo& device) {
  const auto* const found = std::find_if(policy.begin(), policy.end(), [&](const Preference& preference) {
    return preference.variant == variant.name();
  });
  const std::ptrdiff_t place = found - policy.begin();
  const bool is_last = found != policy.end() && !found->is_favoured(problem, device);
  return is_last ? place + std::ssize(policy) + 1 : place;
}

}  // namespace

std::vector<const Variant*> untuned_order(const Problem& problem, const DeviceInfo& device,
                                          std::span<const Variant* const> variants) {
  std::vector<const Variant*> order;
  std::copy_if(variants.rbegin(), variants.rend(), std::back_inserter(order),
               [&](const Variant* variant) { return variant->supports(problem, device); });
  std::stable_sort(order.begin(), order.end(), [&](const Variant* a, const Variant* b) {
    return rank_of(*a, problem, device) < rank_of(*b, problem, device);
  });
  return order;
}

}  // namespace bitune
