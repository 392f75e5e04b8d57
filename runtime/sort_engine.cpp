#include "runtime/sort_engine.hpp"

#include <fmt/format.h>

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
  Selection selection = selector_.select(problem);
  Plan plan = selector_.plan(problem, selection.configuration);
  return {std::move(selection), make_executable(*device_, kernels_, std::move(plan))};
}

std::shared_ptr<const PreparedSort> SortEngine::prepare(const Problem& problem) {
  if (is_trivial(problem)) return nullptr;
  return prepared_.get(problem, [&] { return std::make_shared<const PreparedSort>(make(problem)); });
}

void SortEngine::run(const PreparedSort& prepared, void* keys, const Problem& problem,
                     StreamHandle stream) const {
  const std::uint64_t bytes = prepared.executable.plan().workspace_bytes;
  if (bytes == 0) {
    prepared.executable.run(keys, nullptr, stream);
    return;
  }
  if (device_->is_capturing(stream)) {
    throw Error(ErrorCode::capture,
                fmt::format("'{}' needs {} bytes of workspace, which cannot be allocated while the "
                            "stream is being captured: sort outside of the capture",
                            text_of(problem), bytes));
  }
  const auto workspace = device_->allocate_async(bytes, stream);
  prepared.executable.run(keys, workspace->data(), stream);
}

void SortEngine::sort(void* keys, const Problem& problem, StreamHandle stream) {
  if (is_trivial(problem)) return;
  check_pointer(keys, problem);
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
  run(*prepared, keys, problem, stream);
}

HostSortTimes SortEngine::sort_host(void* keys, const Problem& problem) {
  if (is_trivial(problem)) return {};
  check_pointer(keys, problem);
  const auto prepared = prepare(problem);
  return host_sort_.run(keys, key_bytes(problem), [&](void* on_device, StreamHandle stream) {
    run(*prepared, on_device, problem, stream);
  });
}

std::uint64_t SortEngine::workspace_size(const Problem& problem) {
  if (is_trivial(problem)) return 0;
  if (const auto prepared = prepared_.find(problem)) return prepared->executable.plan().workspace_bytes;
  return selector_.plan(problem, selector_.select(problem).configuration).workspace_bytes;
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
  return explanation;
}

}  // namespace bitune
