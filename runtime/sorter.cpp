#include "bitune/bitune.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/open_engine.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune {
namespace {

/// How many keys lie behind a pointer is not told by those who pass one alone.
constexpr std::uint64_t unchecked_elements = ~std::uint64_t{0};

Problem sort_problem(std::uint64_t n, KeyType type, Order order, std::uint64_t rows = 1) noexcept {
  return {{.key = type, .order = order}, {.n = n, .rows = rows}};
}

Shape shape_of(std::uint64_t n, const SegmentOffsets& segments) noexcept {
  return {.n = n, .rows = segments.count, .ragged = true};
}

/// Offsets and ends alone.
Operands operands_of(const SegmentOffsets& segments) noexcept {
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  const auto given = [&](const void* numbers) {
    return Operand{const_cast<void*>(numbers), unchecked_elements, segments.bytes};
  };
  operands[Role::offsets] = given(segments.offsets);
  if (segments.ends != nullptr) operands[Role::ends] = given(segments.ends);
  return operands;
}

}  // namespace

struct Sorter::Implementation {
  std::unique_ptr<SortEngine> engine;
};

Sorter::Sorter(SorterOptions options)
    : implementation_(std::make_unique<Implementation>(Implementation{open_engine(options).engine})) {}
Sorter::~Sorter() = default;
Sorter::Sorter(Sorter&&) noexcept = default;
Sorter& Sorter::operator=(Sorter&&) noexcept = default;

void Sorter::sort(void* keys, std::uint64_t n, KeyType type, Stream stream, Order order) {
  const Problem problem = sort_problem(n, type, order);
  run(problem, packed_operands(problem, keys), stream);
}

HostSortTimes Sorter::sort_host(void* keys, std::uint64_t n, KeyType type, Order order) {
  return implementation_->engine->sort_host(keys, sort_problem(n, type, order));
}

void Sorter::sort_pairs(void* keys, void* values, std::uint64_t n, KeyType type, std::uint32_t value_bytes,
                        Stream stream, Order order) {
  Problem problem = sort_problem(n, type, order);
  problem.operation = Operation::sort_pairs;
  problem.value_bytes = value_bytes;
  problem.stable = true;
  Operands operands;
  operands[Role::keys_out] = {keys, unchecked_elements, n};
  operands[Role::values_out] = {values, unchecked_elements, n};
  run(problem, operands, stream);
}

void Sorter::argsort(const void* keys, void* indices, std::uint64_t n, KeyType type,
                     std::uint32_t index_bytes, Stream stream, Order order) {
  Problem problem = sort_problem(n, type, order);
  problem.operation = Operation::argsort;
  problem.index_bytes = index_bytes;
  problem.stable = true;
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<void*>(keys), unchecked_elements, n};
  operands[Role::indices_out] = {indices, unchecked_elements, n};
  run(problem, operands, stream);
}

void Sorter::top_k(const void* keys, void* first, void* indices, std::uint64_t n, std::uint64_t k,
                   KeyType type, std::uint32_t index_bytes, Stream stream, Order order) {
  Problem problem = sort_problem(n, type, order);
  problem.operation = Operation::top_k;
  problem.index_bytes = index_bytes;
  problem.k = k;
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<void*>(keys), unchecked_elements, n};
  operands[Role::keys_out] = {first, unchecked_elements, k};
  operands[Role::indices_out] = {indices, unchecked_elements, k};
  run(problem, operands, stream);
}

void Sorter::sort_segments(void* keys, std::uint64_t n, const SegmentOffsets& segments, KeyType type,
                           Stream stream, Order order) {
  Operands operands = operands_of(segments);
  operands[Role::keys_out] = {keys, unchecked_elements, n};
  run({{.key = type, .order = order}, shape_of(n, segments)}, operands, stream);
}

void Sorter::sort_segment_pairs(void* keys, void* values, std::uint64_t n, const SegmentOffsets& segments,
                                KeyType type, std::uint32_t value_bytes, Stream stream, Order order) {
  Operands operands = operands_of(segments);
  operands[Role::keys_out] = {keys, unchecked_elements, n};
  operands[Role::values_out] = {values, unchecked_elements, n};
  run({{.operation = Operation::sort_pairs,
        .key = type,
        .value_bytes = value_bytes,
        .order = order,
        .stable = true},
       shape_of(n, segments)},
      operands, stream);
}

void Sorter::argsort_segments(const void* keys, void* indices, std::uint64_t n,
                              const SegmentOffsets& segments, KeyType type, std::uint32_t index_bytes,
                              Stream stream, Order order) {
  Operands operands = operands_of(segments);
  operands[Role::keys_in] = {const_cast<void*>(keys), unchecked_elements, n};
  operands[Role::indices_out] = {indices, unchecked_elements, n};
  run({{.operation = Operation::argsort,
        .key = type,
        .index_bytes = index_bytes,
        .order = order,
        .stable = true},
       shape_of(n, segments)},
      operands, stream);
}

void Sorter::top_k_segments(const void* keys, void* first, void* indices, std::uint64_t n,
                            const SegmentOffsets& segments, std::uint64_t k, KeyType type,
                            std::uint32_t index_bytes, Stream stream, Order order) {
  Operands operands = operands_of(segments);
  operands[Role::keys_in] = {const_cast<void*>(keys), unchecked_elements, n};
  operands[Role::keys_out] = {first, unchecked_elements, k};
  operands[Role::indices_out] = {indices, unchecked_elements, k};
  run({{.operation = Operation::top_k, .key = type, .index_bytes = index_bytes, .order = order, .k = k},
       shape_of(n, segments)},
      operands, stream);
}

void Sorter::check_segments(const Problem& problem, const Operands& operands, Stream stream) {
  implementation_->engine->check_segments(problem, operands, stream);
}

HostSortTimes Sorter::run_host(const Problem& problem, const Operands& operands) {
  return implementation_->engine->run_host(problem, operands);
}

std::uint64_t Sorter::host_parts(const Problem& problem) {
  return implementation_->engine->host_parts(problem);
}

void Sorter::run(const Problem& problem, const Operands& operands, Stream stream) {
  implementation_->engine->run(problem, operands, stream);
}

void Sorter::sort_rows(void* keys, std::uint64_t rows, std::uint64_t row_length, std::uint64_t row_stride,
                       KeyType type, Stream stream, Order order) {
  Operands operands;
  operands[Role::keys_out] = {keys, unchecked_elements, row_stride};
  run(sort_problem(row_length, type, order, rows), operands, stream);
}

HostSortTimes Sorter::sort_rows_host(void* keys, std::uint64_t rows, std::uint64_t row_length, KeyType type,
                                     Order order) {
  return implementation_->engine->sort_host(keys, sort_problem(row_length, type, order, rows));
}

void Sorter::prepare(const Problem& problem) { static_cast<void>(implementation_->engine->prepare(problem)); }

std::uint64_t Sorter::workspace_size(const Problem& problem) {
  return implementation_->engine->workspace_size(problem);
}

Explanation Sorter::explain(const Problem& problem) { return implementation_->engine->explain(problem); }

std::string Sorter::device() const { return implementation_->engine->device().describe(); }

}  // namespace bitune
