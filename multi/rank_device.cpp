#include "multi/rank_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace bitune::multi {
namespace {

constexpr std::uint32_t threads = 256;
constexpr std::uint32_t most_blocks = 8192;

KernelSource index_kernel() {
  return {"kernels/multi/global_indices.cuh", fmt::format("bitune::add_to_indices<{}>", threads)};
}

}  // namespace

RankDevice::RankDevice(OpenedEngine opened)
    : opened_(std::move(opened)),
      kernels_(opened_.device, opened_.cache, opened_.shipped_kernels),
      host_(opened_.device) {}

void RankDevice::prepare(const KernelSource& kernel) { static_cast<void>(kernels_.get(kernel)); }

void RankDevice::launch(const KernelSource& kernel, const Launch& launch,
                        std::span<const std::uint64_t> arguments, Stream stream) {
  device().launch(*kernels_.get(kernel).kernel, launch, arguments, stream);
}

void RankDevice::run(const Plan& plan, const Operands& operands, Stream stream) {
  make_executable(device(), kernels_, plan).run(operands, stream);
}

void RankDevice::prepare_indices() { prepare(index_kernel()); }

void RankDevice::add_to_indices(void* indices, std::uint64_t n, std::uint64_t first, Stream stream) {
  if (n == 0 || first == 0) return;
  Launch shape;
  shape.block = {threads, 1, 1};
  shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(n / threads, 1, most_blocks));
  const std::array<std::uint64_t, 3> arguments = {address_argument(indices), n, first};
  launch(index_kernel(), shape, arguments, stream);
}

}  // namespace bitune::multi
