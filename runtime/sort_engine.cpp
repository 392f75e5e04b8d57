#include "runtime/sort_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/check_operands.hpp"
#include "runtime/host_rows.hpp"

namespace bitune {
namespace {

/// Whether there is nothing to put in order. A top_k may have to fill what a row lacks.
bool is_trivial(const Problem& problem) noexcept {
  return (problem.n < 2 && problem.operation != Operation::top_k) || problem.rows == 0;
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

}  // namespace

SortEngine::SortEngine(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
                       CandidateReader reader, std::span<const Variant* const> variants, std::string note,
                       std::size_t capacity, std::shared_ptr<const KernelArchive> shipped_kernels)
    : device_(std::move(device)),
      note_(std::move(note)),
      selector_(device_->info(), std::move(reader), variants),
      kernels_(device_, std::move(cache), std::move(shipped_kernels)),
      prepared_(capacity),
      host_sort_(device_) {}

/// What is next on the ladder. Where nothing is, the device has no room for the problem: says for what at
/// last.
Selection SortEngine::select_but(const Problem& problem, std::span<const TooLarge> too_large) {
  try {
    return selector_.select(problem, too_large);
  } catch (const Error&) {
    if (too_large.empty()) throw;
    throw Error(ErrorCode::out_of_resources, too_large.back().why);
  }
}

PreparedSort SortEngine::make(const Problem& problem) {
  check_problem(problem);
  static_cast<void>(key_bytes(problem));  // refuses what no memory holds
  int compiled = 0;
  std::vector<TooLarge> too_large;
  for (;;) {
    Selection selection = select_but(problem, too_large);
    Plan plan = selector_.plan(problem, selection.configuration);
    const std::uint64_t workspace_bytes = plan.workspace_bytes;
    try {
      ExecutablePlan executable = make_executable(*device_, kernels_, std::move(plan), &compiled);
      // What workspaces come from is made on demand, which may not happen while a stream is being captured.
      if (workspace_bytes != 0) static_cast<void>(device_->allocate_async(workspace_bytes, nullptr));
      // Only now: where nothing fits there may be memory again when the problem is next asked for.
      for (const TooLarge& entry : too_large) selector_.leave_out(problem, entry);
      return {std::move(selection), std::move(executable), compiled};
    } catch (const Error& error) {
      // Tuned on another device, on the whole of one that is shared now, or with more memory: what is next on
      // the ladder.
      if (error.code() != ErrorCode::out_of_resources) throw;
      too_large.push_back({selection.configuration, error.what()});
    }
  }
}

std::shared_ptr<const PreparedSort> SortEngine::prepare(const Problem& problem) {
  if (is_trivial(problem)) return nullptr;
  return prepared_.get(problem, [&] { return std::make_shared<const PreparedSort>(make(problem)); });
}

void SortEngine::copy_rows(const Problem& problem, const Operand& to, const Operand& from,
                           std::size_t element_bytes, Stream stream) const {
  if (to.data == from.data) return;
  device_->copy_rows_on_device(to.data, to.stride * element_bytes, from.data, from.stride * element_bytes,
                               problem.n * element_bytes, problem.rows, stream);
}

/// A single key of each row.
void SortEngine::write_trivial(const Problem& problem, const Operands& operands, Stream stream) const {
  if (problem.operation != Operation::argsort) {
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
  if (workspace.data != nullptr) {
    check_workspace(problem, workspace, plan.workspace_bytes);
  } else if (plan.workspace_bytes != 0) {
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
    prepared = prepare(problem);
  }
  launch(*prepared, problem, operands, stream);
}

HostSortTimes SortEngine::sort_host(void* keys, const Problem& problem) {
  if (is_trivial(problem)) return {};
  check_operands(problem, packed_operands(problem, keys));
  const auto prepared = prepare(problem);
  return host_sort_.run(keys, key_bytes(problem), [&](void* on_device, Stream stream) {
    launch(*prepared, problem, packed_operands(problem, on_device), stream);
  });
}

HostSortTimes SortEngine::run_host(const Problem& problem, const Operands& operands) {
  check_operands(problem, operands);
  if (problem.rows == 0 || problem.n == 0) return {};
  const auto prepared = prepare(problem);
  // On the device each array is packed. What is read and written is so in place.
  std::vector<HostArray> arrays;
  Operands on_device;
  std::vector<Operand*> places;
  HostRows rows(problem);
  for (const CallArray& array : arrays_of(problem)) {
    const Operand from = array.in == Role::keys_in     ? operands.input()
                         : array.in == Role::values_in ? operands.input_values()
                                                       : Operand{};
    const Operand to = array.out ? operands[*array.out] : Operand{};
    if (from.data == nullptr && to.data == nullptr) continue;  // keys_out of a top_k
    const std::uint64_t row_bytes = array.row_length * array.element_bytes;
    arrays.push_back({rows.packed(from, array.element_bytes, row_bytes),
                      rows.room_for(to, array.element_bytes, row_bytes), problem.rows * row_bytes});
    Operand& place = on_device[array.out ? *array.out : *array.in];
    place = {nullptr, problem.rows * array.row_length, array.row_length};
    places.push_back(&place);
  }
  if (const Operand& lengths = operands[Role::lengths]; lengths.data != nullptr) {
    arrays.push_back({lengths.data, nullptr, problem.rows * lengths.stride});
    on_device[Role::lengths] = {nullptr, problem.rows, lengths.stride};
    places.push_back(&on_device[Role::lengths]);
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
  if (const auto prepared = prepared_.find(problem)) return prepared->executable.plan().workspace_bytes;
  check_problem(problem);
  const Plan plan = selector_.plan(problem, selector_.select(problem).configuration);
  const bool only_device_knows =
      std::any_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& l) {
        return l.cluster > static_cast<std::uint32_t>(device_->info().max_cluster_size);
      });
  return only_device_knows ? prepare(problem)->executable.plan().workspace_bytes : plan.workspace_bytes;
}

Explanation SortEngine::explain(const Problem& problem) {
  const auto prepared = prepared_.find(problem);
  if (!prepared) check_problem(problem);
  const Selection selection = prepared ? prepared->selection : selector_.select(problem);
  const Plan plan = prepared ? prepared->executable.plan() : selector_.plan(problem, selection.configuration);

  Explanation explanation;
  explanation.configuration = selection.configuration.text();
  explanation.match = name_of(selection.match);
  explanation.reason = selection.reason;
  if (!note_.empty()) explanation.reason += "; " + note_;
  explanation.expected_us = selection.expected_us;
  for (const Launch& launch : plan.launches) explanation.launches.push_back(text_of(launch, plan));
  if (prepared) explanation.compiled_kernels = prepared->compiled_kernels;
  return explanation;
}

}  // namespace bitune
