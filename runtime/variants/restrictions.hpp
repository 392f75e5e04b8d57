#pragma once

/// \file
/// Restrictions that several variants share.

#include <functional>
#include <string>

#include "model/search_space.hpp"

namespace bitune {

/// vector_width keys are at most 16 bytes, the widest access of a thread.
[[nodiscard]] Restriction vector_fits_access();

/// block_size_x threads are at most what the device allows a block.
[[nodiscard]] Restriction block_fits_device();

/// The keys that a thread of strided_merge holds (2^steps_per_pass x vector_width x `unroll_parameter`) are
/// at most 256 bytes, and fit a block's registers with as much for their addresses. `unroll_parameter` may be
/// empty.
[[nodiscard]] Restriction pass_fits_registers(std::string unroll_parameter);

/// Bytes of dynamic shared memory that a block of the configuration takes.
using SharedBytes = std::function<std::int64_t(const Configuration&, const Problem&)>;

/// Shared memory of a tile of so many keys, with its padding (network_layout.hpp).
[[nodiscard]] std::int64_t padded_tile_bytes(std::int64_t keys, KeyType key) noexcept;

/// A block's shared memory is at most what the device allows one.
[[nodiscard]] Restriction shared_memory_fits_block(SharedBytes bytes);

/// Whether `a_thread` registers of each of block_size_x threads fit a block's, and `blocks` times as many a
/// multiprocessor's.
[[nodiscard]] bool registers_fit(const Configuration& c, std::int64_t a_thread, std::int64_t blocks,
                                 const DeviceInfo& device);

/// The same of so many threads.
[[nodiscard]] bool registers_fit(std::int64_t threads, std::int64_t a_thread, std::int64_t blocks,
                                 const DeviceInfo& device);

/// items_per_thread keys and 20 registers besides, for block_size_x threads, fit a block's registers, and
/// `blocks_parameter` times a multiprocessor's. `blocks_parameter` may be empty.
[[nodiscard]] Restriction items_fit_registers(std::string blocks_parameter);

/// Whether so many blocks of so many threads, with `bytes` of shared memory each, fit a multiprocessor.
[[nodiscard]] bool fit_multiprocessor(std::int64_t blocks, std::int64_t threads, std::int64_t bytes,
                                      const DeviceInfo& device);

/// How many blocks of so many threads a multiprocessor has room for, with so many registers a thread and
/// `bytes` of shared memory a block: at least 1.
[[nodiscard]] std::int64_t resident_blocks(std::int64_t threads, std::int64_t registers, std::int64_t bytes,
                                           const DeviceInfo& device);

/// min_blocks_per_sm blocks fit a multiprocessor's threads and shared memory.
[[nodiscard]] Restriction blocks_fit_multiprocessor(SharedBytes bytes);

/// cluster_size is at most what the device allows.
[[nodiscard]] Restriction cluster_fits_device();

/// dependent_launch is 0 before compute capability 9.0.
[[nodiscard]] Restriction dependent_launch_fits_device();

}  // namespace bitune
