#include "runtime/sort_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/check_operands.hpp"
#include "runtime/parts/host_call.hpp"
#include "runtime/segment_bounds.hpp"

namespace bitune {
namespace {

/// Arrays of less than this share of the device's memory do not ask how much of it is free.
constexpr std::uint64_t small_part = 16;

/// Parts under way at the same time. On a GPU one goes up, one is sorted, and one comes back.
constexpr unsigned gpu_parts = 3;
constexpr unsigned other_parts = 2;

/// Whether nothing is written. Where the first k are given, what segments lack is filled, be it all.
bool writes_nothing(const Problem& problem) noexcept {
  return problem.rows == 0 || (problem.n == 0 && !selects(problem.operation));
}

/// Whether there is nothing to put in order. Where the first k are given, what a row lacks is filled. Of
/// segments only the device knows which keys are theirs.
bool is_trivial(const Problem& problem) noexcept {
  if (problem.ragged) return writes_nothing(problem);
  return (problem.n < 2 && !selects(problem.operation)) || problem.rows == 0;
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
                       Preparation how, HostLimits host)
    : device_(std::move(device)),
      note_(std::move(note)),
      host_(std::move(host)),
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
  const bool finds_rows = plan.own_strides || problem.rows == 1 || problem.ragged ||
                          operands.input().stride == operands[Role::keys_out].stride;
  if (!operands.in_place() && !(plan.out_of_place && finds_rows)) {
    copy_rows(problem, operands[Role::keys_out], operands.input(), size_of(problem.key), stream);
    operands[Role::keys_in] = {};
  }
  prepared.executable.run(problem, operands, stream);
}

void SortEngine::run(const Problem& problem, const Operands& operands, Stream stream) {
  check_operands(problem, operands);
  if (writes_nothing(problem)) return;
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

std::optional<PartSizes> SortEngine::parts_of(const Problem& problem) {
  if (problem.ragged || is_trivial(problem)) return std::nullopt;
  const std::uint64_t arrays = array_bytes(problem);
  std::uint64_t limit = host_.device_memory;
  if (limit == 0) {
    if (arrays < static_cast<std::uint64_t>(device_->info().memory_bytes) / small_part) return std::nullopt;
    limit = device_->free_memory() / 10 * 9;
  }
  const auto workspace_of = [this](const Problem& part) -> std::uint64_t {
    if (is_trivial(part)) return 0;
    if (const auto prepared = prepared_.find(part)) return prepared->executable.plan().workspace_bytes;
    return prepared_.plan(part, prepared_.select(part).configuration).workspace_bytes;
  };
  if (arrays <= limit && arrays + workspace_of(problem) <= limit) return std::nullopt;
  const bool is_gpu = device_->info().kind == "cuda";
  const unsigned at_once =
      std::clamp(std::thread::hardware_concurrency(), 1U, is_gpu ? gpu_parts : other_parts);
  return part_sizes(problem, limit, at_once, workspace_of);
}

std::uint64_t SortEngine::host_parts(const Problem& problem) {
  check_problem(problem);
  const auto sizes = parts_of(problem);
  return sizes ? part_count(problem, *sizes) : 1;
}

HostSortTimes SortEngine::run_call(const HostCall& call) {
  const auto prepared = prepared_for(call.problem);
  Operands on_device;
  std::vector<HostArray> arrays;
  for (const HostCall::Array& array : call.arrays) {
    arrays.push_back(array.memory);
    on_device[array.role] = {nullptr, array.elements, array.stride};
  }
  const auto sort = [&](std::span<void* const> memory, Stream stream) {
    for (std::size_t i = 0; i < memory.size(); ++i) on_device[call.arrays[i].role].data = memory[i];
    if (prepared) {
      launch(*prepared, call.problem, on_device, stream);
    } else {
      write_trivial(call.problem, on_device, stream);
    }
  };
  return host_sort_.run(arrays, sort, call.reading);
}

HostSortTimes SortEngine::sort_host(void* keys, const Problem& problem) {
  if (is_trivial(problem)) return {};
  return run_host(problem, packed_operands(problem, keys));
}

HostSortTimes SortEngine::run_host(const Problem& problem, const Operands& operands) {
  check_operands(problem, operands);
  if (writes_nothing(problem)) return {};
  if (problem.ragged) {
    if (const auto wrong = find_wrong_segment(problem, operands)) throw Error(ErrorCode::usage, *wrong);
  }
  if (const auto sizes = parts_of(problem)) {
    return HostParts([this](const HostCall& part) { return run_call(part); }, *sizes, host_.progress,
                     host_.scratch_folder)
        .run(problem, operands);
  }
  HostRows rows(problem, operands);
  const HostSortTimes times = run_call(host_call(problem, operands, rows));
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
