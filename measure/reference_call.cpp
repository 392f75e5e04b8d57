#include "measure/reference_call.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include "measure/in_parts.hpp"
#include "measure/oracle_call.hpp"
#include "measure/radix_passes.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

/// The beginning of a row; null where the operand is not given.
std::byte* row_of(const Operand& operand, std::uint64_t row, std::size_t element_bytes) {
  return operand.data == nullptr
             ? nullptr
             : static_cast<std::byte*>(operand.data) + row * operand.stride * element_bytes;
}

void copy_element(std::byte* to, std::uint64_t place, const std::byte* from, std::uint64_t index,
                  std::size_t bytes) {
  if (to != nullptr) std::memcpy(to + place * bytes, from + index * bytes, bytes);
}

/// Key types of one width share the code, as in the oracle's close look.
template <class U, class Index>
void sort_row(const Problem& problem, const Operands& on_host, std::uint64_t row, unsigned threads,
              const std::function<U(U)>& place) {
  const std::byte* const keys = row_of(on_host.input(), row, sizeof(U));
  const std::byte* const values = row_of(on_host.input_values(), row, problem.value_bytes);
  std::byte* const keys_out = row_of(on_host[Role::keys_out], row, sizeof(U));
  std::byte* const values_out = row_of(on_host[Role::values_out], row, problem.value_bytes);
  std::byte* const indices_out = row_of(on_host[Role::indices_out], row, problem.index_bytes);
  const auto order = stable_order<U, Index>(
      problem.n, threads, [&](std::uint64_t i) { return place(key_orders::load<U>(keys, i)); });
  const std::uint64_t count = result_length(problem);
  in_parts(count, parts_of(count, least_items_to_sort, threads),
           [&](unsigned, std::uint64_t begin, std::uint64_t end) {
             for (std::uint64_t i = begin; i < end; ++i) {
               const std::uint64_t index = order[i].index;
               copy_element(keys_out, i, keys, index, sizeof(U));
               copy_element(values_out, i, values, index, problem.value_bytes);
               if (indices_out == nullptr) continue;
               if (problem.index_bytes == 4) {
                 key_orders::store(indices_out, i, static_cast<std::uint32_t>(index));
               } else {
                 key_orders::store(indices_out, i, index);
               }
             }
           });
}

/// Calls sort_row(row, threads) for all rows, several at once where that pays.
template <class SortRow>
void for_each_row(const Problem& problem, const SortRow& sort_row) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const auto most = static_cast<unsigned>(std::clamp<std::uint64_t>(problem.rows, 1, cores));
  const unsigned parts = parts_of(problem.n * problem.rows, least_items_to_sort, most);
  in_parts(problem.rows, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) sort_row(row, cores / parts);
  });
}

template <class U>
void sort_rows(const Problem& problem, const Operands& on_host, const std::function<U(U)>& place) {
  const bool is_wide = problem.n > std::numeric_limits<std::uint32_t>::max();
  for_each_row(problem, [&](std::uint64_t row, unsigned threads) {
    if (is_wide) {
      sort_row<U, std::uint64_t>(problem, on_host, row, threads, place);
    } else {
      sort_row<U, std::uint32_t>(problem, on_host, row, threads, place);
    }
  });
}

void sort_rows_of_keys(const Problem& problem, const Operands& on_host) {
  const std::size_t size = size_of(problem.key);
  for_each_row(problem, [&](std::uint64_t row, unsigned threads) {
    std::byte* const sorted = row_of(on_host[Role::keys_out], row, size);
    std::memmove(sorted, row_of(on_host.input(), row, size), problem.n * size);
    reference_sort(sorted, problem.n, problem.key, problem.order, threads);
  });
}

}  // namespace

void reference_call(const Problem& problem, const Operands& on_host) {
  if (problem.n == 0) return;
  if (sorts_keys_alone(problem)) {
    sort_rows_of_keys(problem, on_host);
    return;
  }
  const oracle::Rules rules{.key = problem.key,
                            .descending = problem.order == Order::descending,
                            .equal_nans = carried_bytes(problem) != 0};
  key_orders::with_order(problem.key, [&](auto key_order) {
    using KeyOrder = decltype(key_order);
    sort_rows<typename KeyOrder::Bits>(problem, on_host, oracle::Places<KeyOrder>(rules));
  });
}

}  // namespace bitune
