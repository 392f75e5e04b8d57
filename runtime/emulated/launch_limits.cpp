#include "runtime/emulated/launch_limits.hpp"

#include <fmt/format.h>

#include <string>

#include "bitune/error.hpp"
#include "runtime/kernel_limits.hpp"

namespace bitune::emulated {

namespace {

/// The letter of a parameter that takes the argument.
char letter_of(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::u32:
    case Argument::Kind::equal_length:
      return '4';
    case Argument::Kind::u64:
    case Argument::Kind::stride:
    case Argument::Kind::keys:
    case Argument::Kind::segments:
      return '8';
    case Argument::Kind::pointer:
      break;
  }
  return 'p';
}

}  // namespace

void check_arguments(std::string_view kernel, std::string_view signature, const Launch& launch,
                     std::size_t count) {
  if (count != signature.size()) {
    throw Error(ErrorCode::device,
                fmt::format("The kernel {} has {} parameters and was launched with {} arguments.", kernel,
                            signature.size(), count));
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (letter_of(launch.arguments[i]) == signature[i]) continue;
    throw Error(
        ErrorCode::device,
        fmt::format("Argument {} of a launch of the kernel {} is '{}', and its parameter is '{}' (p: a "
                    "pointer, 4 or 8: a number of so many bytes).",
                    i, kernel, letter_of(launch.arguments[i]), signature[i]));
  }
}

void check_launch(const DeviceInfo& device, std::string_view kernel, const Launch& launch) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::device,
                fmt::format("The {} refuses to launch the kernel {}: {}.", device.name, kernel, why));
  };
  const std::uint32_t grid = launch.grid[0];
  const std::uint32_t block = launch.block[0];
  if (grid == 0 || grid > 0x7fffffffu)
    refuse(fmt::format("{} blocks, where 1 to 2147483647 are allowed", grid));
  if (launch.grid[1] != 1 || launch.grid[2] != 1 || launch.block[1] != 1 || launch.block[2] != 1) {
    refuse("its grid or block extends along y or z, and kernels are one-dimensional here");
  }
  if (block == 0 || launch.cluster == 0) refuse("its blocks have no threads, or its clusters no blocks");
  const KernelResources any{.max_threads_per_block = device.max_threads_per_block};
  if (const std::string excess = excess_of(launch, any, device); !excess.empty()) {
    refuse("it needs " + excess);
  }
  if (grid % launch.cluster != 0) {
    refuse(fmt::format("{} blocks cannot be divided into clusters of {}", grid, launch.cluster));
  }
}

}  // namespace bitune::emulated
