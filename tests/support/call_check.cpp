#include "tests/support/call_check.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_inputs.hpp"
#include "tests/support/call_memory.hpp"
#include "tests/support/carried_loads.hpp"

namespace bitune::test {
namespace {

std::uint64_t length_of(const Problem& problem, std::uint64_t row, std::mt19937_64& random) {
  switch (row % 5) {
    case 0:
      return random() % (problem.n + 1);
    case 1:
      return random() % (problem.k + 1);
    case 2:
      return problem.n + 1 + random() % 100;
    case 3:
      return 0xffff'ffff;  // also what is -1 in 32 bits
    default:
      return 0;
  }
}

std::vector<std::byte> lengths_of(const Problem& problem, unsigned bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> lengths(problem.rows * bytes);
  for (std::uint64_t row = 0; row < problem.rows; ++row) {
    const std::uint64_t length = length_of(problem, row + seed, random);
    std::memcpy(lengths.data() + row * bytes, &length, bytes);
  }
  return lengths;
}

/// Each array has a stride of its own, but for what is sorted in place.
CallMemory memory_of(const Device& device, const Problem& problem, Distribution distribution,
                     std::uint64_t seed, const CallForm& form) {
  CallMemory memory(problem, &device);
  std::uint64_t gap = 0;
  const auto layout_of = [&](const CallArray& array) {
    if (form.gaps) gap += 1 + 7 * (seed % 2);
    return GuardedLayout(
        array.element_bytes,
        {.rows = problem.rows, .row_length = array.row_length, .row_stride = array.row_length + gap});
  };
  for (const CallArray& array : arrays_of(problem)) {
    if (array.in) {
      const std::uint64_t bytes = problem.rows * problem.n * array.element_bytes;
      memory.add(*array.in, GuardedImage(layout_of(array), array.in == Role::keys_in
                                                               ? keys_of_rows(problem, distribution, seed)
                                                               : random_bytes(bytes, seed)));
    }
    if (!array.out || (array.out == Role::keys_out && !form.with_keys)) continue;
    if (array.in) {
      memory.add_output(*array.out, *array.in, layout_of(array), form.in_place);
    } else {
      memory.add(*array.out, GuardedImage(layout_of(array)));
    }
  }
  if (form.length_bytes != 0) {
    memory.add_numbers(Role::lengths, lengths_of(problem, form.length_bytes, seed), form.length_bytes);
  }
  return memory;
}

}  // namespace

::testing::AssertionResult is_right(const Device& device, const Problem& problem, Distribution distribution,
                                    std::uint64_t seed, const CallForm& form, const CallRunner& run) {
  CallMemory call = memory_of(device, problem, distribution, seed, form);
  run(call.operands());
  device.synchronize(nullptr);
  std::string what = fmt::format("{} on {} keys (seed {}", text_of(problem), name_of(distribution), seed);
  if (form.in_place) what += ", in place";
  if (form.gaps) what += ", gaps";
  if (!form.with_keys) what += ", no keys";
  if (form.length_bytes != 0) what += fmt::format(", lengths of {} bytes", form.length_bytes);
  what += ")";
  if (const auto fault = call.fault()) return ::testing::AssertionFailure() << what << ": " << *fault;
  return ::testing::AssertionSuccess() << what;
}

::testing::AssertionResult is_right(const Bench& bench, const Problem& problem,
                                    const Configuration& configuration, Distribution distribution,
                                    std::uint64_t seed, const CallForm& form) {
  const auto check = [&](const CallRunner& run) {
    return is_right(*bench.device, problem, distribution, seed, form, run);
  };
  if (!form.sample) return by_configuration(bench, problem, configuration, check);
  Plan plan = variant(configuration.variant).plan(problem, configuration, bench.device->info());
  plan.launches.front().arguments.back() = Argument::number32(*form.sample);
  return by_plan(bench, plan, check);
}

void expect_stable_rows(const Bench& bench, Problem problem, const Configuration& configuration,
                        std::initializer_list<std::uint64_t> lengths, std::uint64_t& turn) {
  for (const std::uint64_t n : lengths) {
    ++turn;
    problem.n = n;
    problem.rows = 1 + turn % 2;
    EXPECT_TRUE(is_right(bench, problem, configuration,
                         hard_for_stable_sorts.at(turn % hard_for_stable_sorts.size()), turn,
                         {.in_place = turn % 2 == 0, .gaps = turn % 3 == 0}));
  }
}

}  // namespace bitune::test
