#include "runtime/sort_engine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/check_operands.hpp"
#include "runtime/host_rows.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune {
namespace {

/// Whether there is nothing to put in order. A top_k may have to fill what a row lacks.
bool is_trivial(const Problem& problem) noexcept {
  return (problem.n < 2 && problem.operation != Operation::top_k) || problem.rows == 0;
}

/// Refuses what cannot be done, and what no memory holds.
void check_size(const Problem& problem) {
  check_problem(problem);
  static_cast<void>(key_bytes(problem));
}

std::string text_of(const Dim3& dim) {
  if (dim[1] == 1 && dim[2] == 1) return fmt::format("{}", dim[0]);
  return fmt::format("{}x{}x{}", dim[0], dim[1], dim[2]);
}

std::string text_of(const Launch& launch, const Plan& plan) {
  std::string text =
      fmt::format("{} grid={} block={} shared={}", plan.kernels.at(launch.kernel).name_expression,
                  text_of(launch.grid), text_of(launch.block), launch.shared_bytes);
  if (launch.cluster > 1) text += fmt::format(" cluster={}", launch.cluster);
  return text;
}

void add_clause(std::string& to, const std::string& clause) {
  if (!clause.empty()) to += "; " + clause;
}

void tell_of_stand_in(Explanation& explanation, const PreparedSort& prepared) {
  if (prepared.better.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    explanation.awaited = prepared.awaited;
    add_clause(
        explanation.reason,
        fmt::format("it stands in for {}, which is being compiled in the background", prepared.awaited));
  } else if (const LaterSort later = result_of(prepared.better); later.made == nullptr) {
    add_clause(explanation.reason, fmt::format("it stands in for {}, which could not be prepared: {}",
                                               prepared.awaited, later.failure));
  }
}

}  // namespace

SortEngine::SortEngine(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
                       CandidateReader reader, std::span<const Variant* const> variants, std::string note,
                       Preparation how)
    : device_(std::move(device)),
      note_(std::move(note)),
      prepared_(device_, std::move(cache), std::move(reader), variants, std::move(how)),
      host_sort_(device_) {}

std::shared_ptr<const PreparedSort> SortEngine::prepare(const Problem& problem) {
  if (is_trivial(problem)) return nullptr;
  check_size(problem);
  return prepared_.best(problem);
}

std::shared_ptr<const PreparedSort> SortEngine::prepared_for(const Problem& problem) {
  if (is_trivial(problem)) return nullptr;
  if (auto prepared = prepared_.find(problem)) return prepared;
  check_size(problem);
  return prepared_.soon(problem);
}

void SortEngine::copy_rows(const Problem& problem, const Operand& to, const Operand& from,
                           std::size_t element_bytes, Stream stream) const {
  if (to.data == from.data) return;
  device_->copy_rows_on_device(to.data, to.stride * element_bytes, from.data, from.stride * element_bytes,
                               problem.n * element_bytes, problem.rows, stream);
}

/// A single key of each row.
void SortEngine::write_trivial(const Problem& problem, const Operands& operands, Stream stream) const {
  if (writes_keys(problem)) {
    copy_rows(problem, operands[Role::keys_out], operands.input(), size_of(problem.key), stream);
  }
  if (problem.value_bytes != 0) {
    copy_rows(problem, operands[Role::values_out], operands.input_values(), problem.value_bytes, stream);
  }
  if (problem.index_bytes != 0) {
    const Operand& indices = operands[Role::indices_out];
    device_->fill_rows(indices.data, indices.stride * problem.index_bytes, 0, problem.index_bytes,
                       problem.rows, stream);
  }
}

void SortEngine::launch(const PreparedSort& prepared, const Problem& problem, Operands operands,
                        Stream stream) const {
  const Plan& plan = prepared.executable.plan();
  Operand& workspace = operands[Role::workspace];
  std::unique_ptr<DeviceBuffer> own;
  if (workspace.data != nullptr) check_workspace(problem, workspace, prepared.least_workspace_bytes);
  if (plan.workspace_bytes != 0 && (workspace.data == nullptr || workspace.elements < plan.workspace_bytes)) {
    own = device_->allocate_async(plan.workspace_bytes, stream);
    workspace = {own->data(), plan.workspace_bytes, 0};
  }
  // Most kernels know one stride, of input and output. What they cannot read where it is, is copied first.
  const bool finds_rows =
      plan.own_strides || problem.rows == 1 || operands.input().stride == operands[Role::keys_out].stride;
  if (!operands.in_place() && !(plan.out_of_place && finds_rows)) {
    copy_rows(problem, operands[Role::keys_out], operands.input(), size_of(problem.key), stream);
    operands[Role::keys_in] = {};
  }
  prepared.executable.run(operands, stream);
}

void SortEngine::run(const Problem& problem, const Operands& operands, Stream stream) {
  check_operands(problem, operands);
  if (problem.rows == 0 || problem.n == 0) return;
  if (is_trivial(problem)) {
    write_trivial(problem, operands, stream);
    return;
  }
  auto prepared = prepared_.find(problem);
  if (!prepared) {
    if (device_->is_capturing(stream)) {
      throw Error(ErrorCode::capture,
                  fmt::format("the stream is being captured and '{}' is not prepared: call prepare() "
                              "for it before the capture begins",
                              text_of(problem)));
    }
    prepared = prepared_for(problem);
  } else if (prepared->is_stand_in() && device_->is_capturing(stream)) {
    if (auto better = result_of(prepared->better).made) prepared = std::move(better);
  }
  launch(*prepared, problem, operands, stream);
}

void SortEngine::check_segments(const Problem& problem, const Operands& operands, Stream stream) const {
  if (!problem.ragged) {
    throw Error(ErrorCode::usage, fmt::format("'{}' has no segments to check", text_of(problem)));
  }
  if (const auto missing = missing_bounds(problem, operands)) throw Error(ErrorCode::usage, *missing);
  if (problem.rows == 0) return;
  if (device_->is_capturing(stream)) {
    throw Error(ErrorCode::capture,
                "segments are checked on the host, which cannot be captured: check them before");
  }
  std::vector<std::byte> offsets;
  std::vector<std::byte> ends;
  Operands on_host;
  const auto fetch = [&](Role role, std::uint64_t count, std::vector<std::byte>& bytes) {
    const Operand& numbers = operands[role];
    bytes.resize(count * numbers.stride);
    device_->copy_to_host(bytes.data(), numbers.data, bytes.size(), stream);
    on_host[role] = {bytes.data(), count, numbers.stride};
  };
  const bool has_ends = operands[Role::ends].data != nullptr;
  fetch(Role::offsets, problem.rows + (has_ends ? 0 : 1), offsets);
  if (has_ends) fetch(Role::ends, problem.rows, ends);
  device_->synchronize(stream);
  if (const auto wrong = find_wrong_segment(problem, on_host)) throw Error(ErrorCode::usage, *wrong);
}

HostSortTimes SortEngine::sort_host(void* keys, const Problem& problem) {
  if (is_trivial(problem)) return {};
  check_operands(problem, packed_operands(problem, keys));
  const auto prepared = prepared_for(problem);
  return host_sort_.run(keys, key_bytes(problem), [&](void* on_device, Stream stream) {
    launch(*prepared, problem, packed_operands(problem, on_device), stream);
  });
}

HostSortTimes SortEngine::run_host(const Problem& problem, const Operands& operands) {
  check_operands(problem, operands);
  if (problem.rows == 0 || problem.n == 0) return {};
  if (problem.ragged) {
    if (const auto wrong = find_wrong_segment(problem, operands)) throw Error(ErrorCode::usage, *wrong);
  }
  const auto prepared = prepared_for(problem);
  // On the device each array is packed. What is read and written is so in place.
  std::vector<HostArray> arrays;
  Operands on_device;
  std::vector<Operand*> places;
  HostRows rows(problem, operands);
  for (const CallArray& array : arrays_of(problem)) {
    const Operand from = array.in == Role::keys_in     ? operands.input()
                         : array.in == Role::values_in ? operands.input_values()
                                                       : Operand{};
    const Operand to = array.out ? operands[*array.out] : Operand{};
    if (from.data == nullptr && to.data == nullptr) continue;  // keys_out of a top_k
    arrays.push_back({rows.packed(from, array), rows.room_for(to, array, from.data == to.data),
                      array.rows * array.row_length * array.element_bytes});
    Operand& place = on_device[array.out ? *array.out : *array.in];
    place = {nullptr, array.rows * array.row_length, array.row_length};
    places.push_back(&place);
  }
  for (const Role role : {Role::offsets, Role::ends, Role::lengths}) {
    const Operand& numbers = operands[role];
    if (numbers.data == nullptr) continue;
    const bool has_last = role == Role::offsets && operands[Role::ends].data == nullptr;
    const std::uint64_t count = problem.rows + (has_last ? 1 : 0);
    arrays.push_back({numbers.data, nullptr, count * numbers.stride});
    on_device[role] = {nullptr, count, numbers.stride};
    places.push_back(&on_device[role]);
  }
  const HostSortTimes times = host_sort_.run(arrays, [&](std::span<void* const> memory, Stream stream) {
    for (std::size_t i = 0; i < places.size(); ++i) places[i]->data = memory[i];
    if (prepared) {
      launch(*prepared, problem, on_device, stream);
    } else {
      write_trivial(problem, on_device, stream);
    }
  });
  rows.unpack();
  return times;
}

std::uint64_t SortEngine::workspace_size(const Problem& problem) {
  if (is_trivial(problem)) return 0;
  check_size(problem);
  return prepared_.workspace_size(problem);
}

Explanation SortEngine::explain(const Problem& problem) {
  const auto prepared = prepared_.find(problem);
  if (!prepared) check_problem(problem);
  const Selection selection = prepared ? prepared->selection : prepared_.select(problem);
  const Plan plan = prepared ? prepared->executable.plan() : prepared_.plan(problem, selection.configuration);

  Explanation explanation;
  explanation.configuration = selection.configuration.text();
  explanation.match = name_of(selection.match);
  explanation.reason = selection.reason;
  explanation.expected_us = selection.expected_us;
  for (const Launch& launch : plan.launches) explanation.launches.push_back(text_of(launch, plan));
  if (prepared) {
    explanation.compiled_kernels = prepared->kernels.compiled;
    explanation.shipped_kernels = prepared->kernels.shipped;
    explanation.cached_kernels = prepared->kernels.cached;
    add_clause(explanation.reason, prepared->note);
    if (prepared->is_stand_in()) tell_of_stand_in(explanation, *prepared);
  }
  add_clause(explanation.reason, note_);
  return explanation;
}

}  // namespace bitune
