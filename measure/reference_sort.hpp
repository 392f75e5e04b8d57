#pragma once

/// \file
/// Sorting on the host: the reference that device results are held against.

#include <cstddef>
#include <cstdint>
#include <span>

#include "bitune/types.hpp"

namespace bitune {

/// Sorts `n` keys in place on the host, bit for bit as a device must (radix sort, short arrays by comparison;
/// stable order is not observable), on at most so many threads.
void reference_sort(void* keys, std::uint64_t n, KeyType type, Order order, unsigned threads = 1);

/// Sorts each row of `keys` (problem.rows * problem.n keys, one row behind the other; any alignment) as a
/// device must, with as many threads as pay.
void reference_sort_rows(std::span<std::byte> keys, const Problem& problem);

}  // namespace bitune
