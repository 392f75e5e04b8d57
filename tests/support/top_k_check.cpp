#include "tests/support/top_k_check.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_inputs.hpp"
#include "tests/support/device_image.hpp"

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

/// The operands of a call on the device, and their images before it.
class TopKOperands {
 public:
  TopKOperands(const Device& device, const Problem& problem, Distribution distribution, std::uint64_t seed,
               const TopKCall& how)
      : device_(device), problem_(problem) {
    std::uint64_t gap = 0;
    for (const CallArray& array : arrays_of(problem)) {
      if (how.gaps) gap += 1 + 7 * (seed % 2);
      const GuardedLayout layout(
          array.element_bytes,
          {.rows = problem.rows, .row_length = array.row_length, .row_stride = array.row_length + gap});
      if (array.in == Role::keys_in) {
        add(Role::keys_in, GuardedImage(layout, keys_of_rows(problem, distribution, seed)));
      } else if (array.in) {
        const std::uint64_t bytes = problem.rows * problem.n * array.element_bytes;
        add(*array.in, GuardedImage(layout, random_bytes(bytes, seed)));
      } else if (array.out != Role::keys_out || how.with_keys) {
        add(*array.out, GuardedImage(layout));
      }
    }
    if (how.length_bytes == 0) return;
    const GuardedLayout layout(how.length_bytes, {.rows = 1, .row_length = problem.rows, .row_stride = 0});
    add(Role::lengths, GuardedImage(layout, lengths_of(problem, how.length_bytes, seed)));
    operands_[Role::lengths].stride = how.length_bytes;
  }

  [[nodiscard]] const Operands& operands() const { return operands_; }

  /// What is wrong after the call.
  [[nodiscard]] std::optional<std::string> fault() const {
    std::map<Role, GuardedImage> after;
    Operands on_host;
    for (const auto& [role, image] : images_) {
      after.emplace(role, images_on_device_.at(role).download());
      if (auto stray = find_stray_write(after.at(role).bytes(), image.layout())) return stray;
      const bool is_input = role == Role::keys_in || role == Role::values_in || role == Role::lengths;
      if (is_input && after.at(role) != image) return "an input was changed";
      on_host[role] = after.at(role).operand();
    }
    on_host[Role::lengths].stride = operands_[Role::lengths].stride;
    return find_fault(problem_, on_host);
  }

 private:
  void add(Role role, const GuardedImage& image) {
    const std::size_t offset = 3 * image.layout().element_bytes;
    images_.emplace(role, image);
    operands_[role] = images_on_device_.try_emplace(role, device_, image, offset).first->second.operand();
  }

  const Device& device_;
  Problem problem_;
  std::map<Role, GuardedImage> images_;  ///< before the call
  std::map<Role, DeviceImage> images_on_device_;
  Operands operands_;
};

}  // namespace

::testing::AssertionResult gives_first(const Device& device, const Problem& problem,
                                       Distribution distribution, std::uint64_t seed, const TopKCall& how,
                                       const std::function<void(const Operands&)>& run) {
  const TopKOperands call(device, problem, distribution, seed, how);
  run(call.operands());
  device.synchronize(nullptr);
  std::string what = fmt::format("{} on {} keys (seed {}", text_of(problem), name_of(distribution), seed);
  if (how.gaps) what += ", gaps";
  if (!how.with_keys) what += ", no keys";
  if (how.length_bytes != 0) what += fmt::format(", lengths of {} bytes", how.length_bytes);
  what += ")";
  if (const auto fault = call.fault()) return ::testing::AssertionFailure() << what << ": " << *fault;
  return ::testing::AssertionSuccess() << what;
}

::testing::AssertionResult gives_first(const Bench& bench, const Problem& problem,
                                       const Configuration& configuration, Distribution distribution,
                                       std::uint64_t seed, const TopKCall& how) {
  const auto check = [&](const auto& run) {
    return gives_first(*bench.device, problem, distribution, seed, how, run);
  };
  if (!how.sample) return by_configuration(bench, problem, configuration, check);
  Plan plan = variant(configuration.variant).plan(problem, configuration, bench.device->info());
  plan.launches.front().arguments.back() = Argument::number32(*how.sample);
  return by_plan(bench, plan, check);
}

}  // namespace bitune::test
