#pragma once

/// \file
/// What the variants share that hold a row in the registers of a group of threads: `rows`, `packed_rows` and
/// `rows_by_place`.

#include <cstdint>
#include <string>
#include <vector>

#include "model/configuration.hpp"
#include "model/search_space.hpp"

namespace bitune::row_parts {

/// Keys that the registers of a row's threads hold.
[[nodiscard]] std::int64_t capacity(const Configuration& c);

/// Groups of threads, each with a row (or two packed ones), of a block.
[[nodiscard]] std::int64_t groups_per_block(const Configuration& c);

/// Of a power of two.
[[nodiscard]] int log2(std::int64_t value);

/// Smallest capacity that holds a row: the tile that wastes least.
[[nodiscard]] std::int64_t smallest_capacity(std::uint64_t length);

/// The parameters of the group, and of how it loads, sorts and stores a row. `items`: of items_per_thread,
/// and what it is. most_shuffles: of shuffle_steps.
[[nodiscard]] std::vector<Parameter> parameters(std::vector<std::int64_t> items, std::string items_text,
                                                std::size_t most_shuffles);

/// What these parameters must be.
[[nodiscard]] std::vector<Restriction> restrictions();

}  // namespace bitune::row_parts
