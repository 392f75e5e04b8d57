#include "bench/between.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "model/statistics.hpp"

namespace bitune {
namespace {

/// Some microseconds of one thread: longer than a launch takes, and short beside 50 us.
constexpr std::uint64_t kernel_steps = 200;

}  // namespace

double time_between_kernels(const Device& device, KernelStore& kernels, const Contestant& sort,
                            InterleavedSampler& sampler, int samples) {
  const auto kernel = kernels.get({"kernels/measure/hold.cuh", "bitune::hold_stream<1>"}).kernel;
  const auto sink = device.allocate(sizeof(std::uint64_t));
  const auto launch_kernel = [&](Stream stream) {
    const std::array<std::uint64_t, 2> arguments = {kernel_steps,
                                                    reinterpret_cast<std::uintptr_t>(sink->data())};
    device.launch(*kernel, Launch{}, arguments, stream);
  };
  std::vector<Contestant> sides = {sort, sort};
  sides[0].launches = sort.launches + 1;
  sides[0].sort = [&](const Operands& operands, Stream stream) {
    launch_kernel(stream);
    sort.sort(operands, stream);
  };
  sides[1].launches = 1;
  sides[1].sort = [&](const Operands&, Stream stream) { launch_kernel(stream); };
  const InterleavedSamples timed = sampler.run(sides, samples);
  return std::max(0.0, median_of(timed.samples_us[0]) - median_of(timed.samples_us[1]));
}

}  // namespace bitune
