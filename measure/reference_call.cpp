#include "measure/reference_call.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "measure/in_parts.hpp"
#include "measure/oracle_call.hpp"
#include "measure/radix_passes.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune {
namespace {

/// The elements of one row, or one segment.
struct RowPlace {
  std::uint64_t row = 0;
  std::uint64_t length = 0;                 ///< keys of it
  std::optional<std::uint64_t> begin = {};  ///< of a segment, in all arrays but rows of k
};

RowPlace place_of(const Problem& problem, const Operands& on_host, std::uint64_t row) {
  if (!problem.ragged) return {.row = row, .length = problem.n};
  const SegmentBounds bounds(on_host);
  return {.row = row, .length = bounds.end(row) - bounds.begin(row), .begin = bounds.begin(row)};
}

/// The beginning of a row; null where the operand is not given.
std::byte* row_of(const Operand& operand, const RowPlace& place, std::size_t element_bytes) {
  return operand.data == nullptr ? nullptr
                                 : static_cast<std::byte*>(operand.data) +
                                       place.begin.value_or(place.row * operand.stride) * element_bytes;
}

void copy_element(std::byte* to, std::uint64_t place, const std::byte* from, std::uint64_t index,
                  std::size_t bytes) {
  if (to != nullptr) std::memcpy(to + place * bytes, from + index * bytes, bytes);
}

/// How keys of a width are ordered. Key types of one width share the code, as in the oracle's close look.
template <class U>
struct KeyPlaces {
  std::function<U(U)> place;
  U last_key;  ///< what fills a row that has fewer than k keys
};

void store_index(std::byte* indices, std::uint64_t i, std::uint64_t index, std::uint32_t bytes) {
  if (indices == nullptr) return;
  if (bytes == 4) {
    key_orders::store(indices, i, static_cast<std::uint32_t>(index));
  } else {
    key_orders::store(indices, i, index);
  }
}

template <class U, class Index>
void sort_row(const Problem& problem, const Operands& on_host, RowPlace row, unsigned threads,
              const KeyPlaces<U>& places) {
  const std::byte* const keys = row_of(on_host.input(), row, sizeof(U));
  const std::byte* const values = row_of(on_host.input_values(), row, problem.value_bytes);
  if (selects(problem.operation)) row.begin = std::nullopt;  // its results are rows of k
  std::byte* const keys_out = row_of(on_host[Role::keys_out], row, sizeof(U));
  std::byte* const values_out = row_of(on_host[Role::values_out], row, problem.value_bytes);
  std::byte* const indices_out = row_of(on_host[Role::indices_out], row, problem.index_bytes);
  const auto order = stable_order<U, Index>(
      row.length, threads, [&](std::uint64_t i) { return places.place(key_orders::load<U>(keys, i)); });
  const std::uint64_t count = std::min(result_length(problem), row.length);
  in_parts(count, parts_of(count, least_items_to_sort, threads),
           [&](unsigned, std::uint64_t begin, std::uint64_t end) {
             for (std::uint64_t i = begin; i < end; ++i) {
               const std::uint64_t index = order[i].index;
               copy_element(keys_out, i, keys, index, sizeof(U));
               copy_element(values_out, i, values, index, problem.value_bytes);
               store_index(indices_out, i, index, problem.index_bytes);
             }
           });
  if (!selects(problem.operation)) return;
  for (std::uint64_t i = count; i < problem.k; ++i) {
    if (keys_out != nullptr) key_orders::store(keys_out, i, places.last_key);
    if (values_out != nullptr) std::memset(values_out + i * problem.value_bytes, 0, problem.value_bytes);
    store_index(indices_out, i, std::numeric_limits<std::uint64_t>::max(), problem.index_bytes);
  }
}

/// Calls sort_row(place, threads) for all rows, several at once where that pays.
template <class SortRow>
void for_each_row(const Problem& problem, const Operands& on_host, const SortRow& sort_row) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const auto most = static_cast<unsigned>(std::clamp<std::uint64_t>(problem.rows, 1, cores));
  const unsigned parts = parts_of(key_count(problem), least_items_to_sort, most);
  in_parts(problem.rows, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      sort_row(place_of(problem, on_host, row), cores / parts);
    }
  });
}

template <class U>
void sort_rows(const Problem& problem, const Operands& on_host, const KeyPlaces<U>& places) {
  const bool is_wide = problem.n > std::numeric_limits<std::uint32_t>::max();
  for_each_row(problem, on_host, [&](const RowPlace& row, unsigned threads) {
    if (is_wide) {
      sort_row<U, std::uint64_t>(problem, on_host, row, threads, places);
    } else {
      sort_row<U, std::uint32_t>(problem, on_host, row, threads, places);
    }
  });
}

void sort_rows_of_keys(const Problem& problem, const Operands& on_host) {
  const std::size_t size = size_of(problem.key);
  for_each_row(problem, on_host, [&](const RowPlace& row, unsigned threads) {
    std::byte* const sorted = row_of(on_host[Role::keys_out], row, size);
    std::memmove(sorted, row_of(on_host.input(), row, size), row.length * size);
    reference_sort(sorted, row.length, problem.key, problem.order, threads);
  });
}

}  // namespace

void reference_call(const Problem& problem, const Operands& on_host) {
  if (problem.n == 0 && !selects(problem.operation)) return;
  if (has_keys_alone(problem)) {
    sort_rows_of_keys(problem, on_host);
    return;
  }
  const oracle::Rules rules{.key = problem.key,
                            .descending = problem.order == Order::descending,
                            .equal_nans = carried_bytes(problem) != 0};
  key_orders::with_order(problem.key, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    using Bits = typename KeyOrder::Bits;
    sort_rows<Bits>(
        problem, on_host,
        {.place = oracle::Places<KeyOrder>(rules),
         .last_key = key_orders::decode<KeyOrder>(std::numeric_limits<Bits>::max(), rules.descending)});
  });
}

}  // namespace bitune
