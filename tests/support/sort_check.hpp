#pragma once

/// \file
/// What the tests of kernels share: samples of search spaces, and one sort held against the host's reference.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tuner/inputs.hpp"

namespace bitune::test {

/// `count` different valid configurations drawn from the variant's space, or fewer if there are not as many.
[[nodiscard]] std::vector<Configuration> sample_configurations(const Variant& variant, const Problem& problem,
                                                               const DeviceInfo& device, std::size_t count,
                                                               std::uint64_t seed);

/// A device with its kernels, cached in the build's test folder so that tests share what they compile.
struct Bench {
  std::shared_ptr<Device> device;
  std::shared_ptr<KernelStore> kernels;
};
[[nodiscard]] Bench make_bench(std::shared_ptr<Device> device);

/// Sorts generated keys on the device, `offset_keys` keys behind an aligned address, with guard bytes around them, and
/// compares bit for bit with the host's reference.
[[nodiscard]] ::testing::AssertionResult sorts(const Bench& bench, const Problem& problem,
                                               const Configuration& configuration, Distribution distribution,
                                               std::uint64_t seed, std::uint64_t offset_keys = 0);

}  // namespace bitune::test
