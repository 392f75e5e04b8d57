#include "runtime/sort_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

/// Whether there is anything to put in order.
bool is_trivial(const Problem& problem) noexcept { return problem.n < 2 || problem.rows == 0; }

void check_pointer(const void* keys, const Problem& problem) {
  if (keys == nullptr) {
    throw Error(ErrorCode::usage,
                fmt::format("the keys of '{}' are a null pointer: pass the array", text_of(problem)));
  }
  const std::size_t size = size_of(problem.key);
  if (reinterpret_cast<std::uintptr_t>(keys) % size != 0) {
    throw Error(ErrorCode::usage,
                fmt::format("the keys at {} are not aligned to {} bytes: {} keys must lie at a multiple "
                            "of their size",
                            keys, size, name_of(problem.key)));
  }
}

bool is_out_of_place(const RowMemory& memory) noexcept {
  return memory.input != nullptr && memory.input != memory.keys;
}

/// Refuses rows that overlap, and such as reach farther than any memory does.
void check_workspace(const Workspace& workspace, std::uint64_t needed, const Problem& problem) {
  constexpr std::uintptr_t alignment = 256;
  if (workspace.bytes < needed) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' takes {} bytes of workspace, and {} were given: ask workspace_size(), or "
                            "give none",
                            text_of(problem), needed, workspace.bytes));
  }
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % alignment != 0) {
    throw Error(ErrorCode::usage,
                fmt::format("the workspace at {} is not aligned to {} bytes", workspace.data, alignment));
  }
}

void check_stride(const RowMemory& memory, const Problem& problem) {
  if (memory.stride < problem.n) {
    throw Error(ErrorCode::usage,
                fmt::format("rows of {} keys that begin every {} keys overlap: the row stride "
                            "is in keys, and at least the row length",
                            problem.n, memory.stride));
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(memory.stride, size_of(problem.key), &bytes) ||
      __builtin_mul_overflow(bytes, problem.rows, &bytes) || bytes > std::uint64_t{1} << 63) {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' with a row stride of {} keys reaches over more than 2^63 bytes",
                            text_of(problem), memory.stride));
  }
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
  if (launch.cooperative) text += " cooperative";
  return text;
}

}  // namespace

SortEngine::SortEngine(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
                       CandidateReader reader, std::span<const Variant* const> variants, std::string note,
                       std::size_t capacity)
    : device_(std::move(device)),
      note_(std::move(note)),
      selector_(device_->info(), std::move(reader), variants),
      kernels_(device_, std::move(cache)),
      prepared_(capacity),
      host_sort_(device_) {}

PreparedSort SortEngine::make(const Problem& problem) {
  static_cast<void>(key_bytes(problem));  // refuses what no memory holds
  int compiled = 0;
  for (;;) {
    Selection selection = selector_.select(problem);
    Plan plan = selector_.plan(problem, selection.configuration);
    const std::uint64_t workspace_bytes = plan.workspace_bytes;
    try {
      ExecutablePlan executable = make_executable(*device_, kernels_, std::move(plan), &compiled);
      // What workspaces come from is made on demand, which may not happen while a stream is being captured.
      if (workspace_bytes != 0) static_cast<void>(device_->allocate_async(workspace_bytes, nullptr));
      return {std::move(selection), std::move(executable), compiled};
    } catch (const Error& error) {
      // Tuned on another device, on the whole of one that is shared now, or with more memory: what is next on
      // the ladder.
      if (error.code() != ErrorCode::unfit) throw;
      selector_.leave_out(problem, selection.configuration, error.what());
    }
  }
}

std::shared_ptr<const PreparedSort> SortEngine::prepare(const Problem& problem) {
  if (is_trivial(problem)) return nullptr;
  return prepared_.get(problem, [&] { return std::make_shared<const PreparedSort>(make(problem)); });
}

void SortEngine::copy_input(const RowMemory& memory, const Problem& problem, StreamHandle stream) const {
  const std::size_t size = size_of(problem.key);
  device_->copy_rows_on_device(memory.keys, memory.input, problem.n * size, problem.rows,
                               memory.stride * size, stream);
}

void SortEngine::run(const PreparedSort& prepared, const RowMemory& memory, const Problem& problem,
                     StreamHandle stream) const {
  const Plan& plan = prepared.executable.plan();
  PlanBinding binding{.keys = memory.keys, .row_stride = memory.stride};
  std::unique_ptr<DeviceBuffer> workspace;
  if (memory.workspace.data != nullptr) {
    check_workspace(memory.workspace, plan.workspace_bytes, problem);
    binding.workspace = memory.workspace.data;
  } else if (plan.workspace_bytes != 0) {
    workspace = device_->allocate_async(plan.workspace_bytes, stream);
    binding.workspace = workspace->data();
  }
  if (is_out_of_place(memory)) {
    if (plan.out_of_place) {
      binding.input = memory.input;
    } else {
      copy_input(memory, problem, stream);
    }
  }
  prepared.executable.run(binding, stream);
}

void SortEngine::sort_rows(const RowMemory& memory, const Problem& problem, StreamHandle stream) {
  check_stride(memory, problem);
  const bool out_of_place = is_out_of_place(memory);
  if (problem.rows == 0 || problem.n == 0 || (is_trivial(problem) && !out_of_place)) return;
  check_pointer(memory.keys, problem);
  if (out_of_place) check_pointer(memory.input, problem);
  if (is_trivial(problem)) return copy_input(memory, problem, stream);
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
  run(*prepared, memory, problem, stream);
}

HostSortTimes SortEngine::sort_host(void* keys, const Problem& problem) {
  if (is_trivial(problem)) return {};
  check_pointer(keys, problem);
  const auto prepared = prepare(problem);
  return host_sort_.run(keys, key_bytes(problem), [&](void* on_device, StreamHandle stream) {
    run(*prepared, {.keys = on_device, .stride = problem.n}, problem, stream);
  });
}

std::uint64_t SortEngine::workspace_size(const Problem& problem) {
  if (is_trivial(problem)) return 0;
  if (const auto prepared = prepared_.find(problem)) return prepared->executable.plan().workspace_bytes;
  const Plan plan = selector_.plan(problem, selector_.select(problem).configuration);
  const bool only_device_knows =
      std::any_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& l) {
        return l.cluster > static_cast<std::uint32_t>(device_->info().max_cluster_size);
      });
  return only_device_knows ? prepare(problem)->executable.plan().workspace_bytes : plan.workspace_bytes;
}

Explanation SortEngine::explain(const Problem& problem) {
  const auto prepared = prepared_.find(problem);
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
