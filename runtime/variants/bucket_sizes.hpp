#pragma once

/// \file
/// What the parts of the variant `bucket_rows` have room for: the sample, the blocks that filter, and the
/// buckets (kernels/topk/bucket_rows.cuh).

#include <cstdint>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/problem.hpp"

namespace bitune::of_bucket_rows {

/// Which of the sorted samples is the bound.
[[nodiscard]] std::uint64_t sample_rank(const Configuration& c, const Problem& problem);

/// Which of so many minima tells what is put in order of a sample. Of keys in order each sample has a group
/// for itself, so that it is no less than the sample's rank.
[[nodiscard]] std::uint64_t minimum_rank(std::int64_t groups, const Configuration& c, const Problem& problem);

/// Whether no number of groups has a minimum behind the bound: then the whole sample is put in order.
[[nodiscard]] bool orders_all(const Configuration& c, const Problem& problem);

/// Groups of samples whose minima tell what is put in order.
[[nodiscard]] std::int64_t sample_groups(const Configuration& c, const Problem& problem);

/// Threads of a block that takes samples: each takes 8 at most, and few threads one. A block that puts all in
/// order has more.
[[nodiscard]] std::int64_t sample_threads(const Configuration& c, const Problem& problem);
[[nodiscard]] std::int64_t samples_per_thread(const Configuration& c, const Problem& problem);

/// Samples that there is room for where they are put in order.
[[nodiscard]] std::int64_t sample_capacity(const Configuration& c, const Problem& problem);

/// The chance that any bucket has more candidates than that.
[[nodiscard]] double overflow_chance(const Configuration& c, const Problem& problem,
                                     std::uint64_t candidates);

/// Keys of a row that are up to the bound, on average.
[[nodiscard]] std::uint64_t candidates(const Configuration& c, const Problem& problem);

/// Candidates that a block puts together before they go to their buckets: at least those of one chunk of
/// keys, unless these are very many.
[[nodiscard]] std::int64_t staged(const Configuration& c, const Problem& problem);

/// Blocks that filter a row: as many as run at once, or as have no more candidates than they put together; or
/// as there are chunks of keys for.
[[nodiscard]] std::uint64_t shares(const Configuration& c, const Problem& problem, const DeviceInfo& device);

/// Candidates of a bucket that the workspace has room for: no bucket has more, but once in a million times.
[[nodiscard]] std::uint64_t room(const Configuration& c, const Problem& problem);

/// Shared memory of a block of each launch.
[[nodiscard]] std::int64_t sample_bytes(const Configuration& c, const Problem& problem);
[[nodiscard]] std::int64_t filter_bytes(const Configuration& c, const Problem& problem);
[[nodiscard]] std::int64_t sort_bytes(const Configuration& c, const Problem& problem);

}  // namespace bitune::of_bucket_rows
