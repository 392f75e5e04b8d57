#pragma once

/// \file
/// What the tests of kernels share: samples of search spaces, and one sort checked by the oracle.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/inputs.hpp"
#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/sort_engine.hpp"
#include "runtime/variant.hpp"

namespace bitune::test {

/// `count` different valid configurations drawn from the variant's space, or fewer if there are not as many.
[[nodiscard]] std::vector<Configuration> sample_configurations(const Variant& variant, const Problem& problem,
                                                               const DeviceInfo& device, std::size_t count,
                                                               std::uint64_t seed);

/// All variants with each of these key types that they sort.
using VariantAndKey = std::tuple<const Variant*, KeyType>;
[[nodiscard]] std::vector<VariantAndKey> variants_and_keys(const std::vector<KeyType>& keys,
                                                           std::uint64_t rows = 1);

/// A device with its kernels, cached in the build's test folder so that tests share what they compile.
struct Bench {
  std::shared_ptr<Device> device;
  std::shared_ptr<KernelStore> kernels;
};
[[nodiscard]] Bench make_bench(std::shared_ptr<Device> device);

/// An emulated device that resumes threads in a random order; 0: in the order of their indices.
[[nodiscard]] Bench seeded(std::uint64_t seed);

/// Sorts with what a bench's device would take if nothing were tuned.
[[nodiscard]] SortEngine untuned_engine(const Bench& bench);

/// Whether the environment asks for all that tests otherwise take in turns: BITUNE_TEST_ALL.
[[nodiscard]] bool tests_all();

/// What sorts keys alone.
[[nodiscard]] Problem problem_of(KeyType key, std::uint64_t n, Order order = Order::ascending,
                                 std::uint64_t rows = 1);

/// Where the keys of a checked sort lie.
struct Placement {
  std::uint64_t offset_keys = 0;  ///< keys between an aligned address and the first key
  std::uint64_t gap_keys = 0;     ///< keys between one row and the next
  bool out_of_place = false;      ///< from other memory, if the plan can
};

/// Compiles all kernels of the plans at once, on all cores, so that the sorts that follow only load them.
void compile_all(const Bench& bench, const std::vector<std::pair<Problem, Configuration>>& sorts);

/// Runs a call, whose workspace it fills in.
using CallRunner = std::function<void(const Operands&)>;

/// What `check` says of the calls that the configuration runs. It fails where that is none of its space.
[[nodiscard]] ::testing::AssertionResult by_configuration(
    const Bench& bench, const Problem& problem, const Configuration& configuration,
    const std::function<::testing::AssertionResult(const CallRunner&)>& check);

/// The same by a plan, which need not be that of any configuration.
[[nodiscard]] ::testing::AssertionResult by_plan(
    const Bench& bench, const Plan& plan,
    const std::function<::testing::AssertionResult(const CallRunner&)>& check);

/// Sorts generated keys on the device and asks the oracle. Guard bytes around the keys and between their rows
/// must be as they were, and so must the input of a sort out of place.
[[nodiscard]] ::testing::AssertionResult sorts(const Bench& bench, const Problem& problem,
                                               const Configuration& configuration, Distribution distribution,
                                               std::uint64_t seed, const Placement& placement = {});

/// One such sort of several.
struct SortTrial {
  Problem problem;
  Configuration configuration;
  Distribution distribution;
  std::uint64_t seed;
  Placement placement = {};
};

/// Expects each to be right. Their kernels are compiled together.
void expect_sorts(const Bench& bench, const std::vector<SortTrial>& trials);

}  // namespace bitune::test
