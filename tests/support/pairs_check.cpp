#include "tests/support/pairs_check.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tests/support/call_inputs.hpp"
#include "tests/support/device_image.hpp"

namespace bitune::test {
namespace {

/// Rows so many elements apart: `gap` more than a row has.
GuardedLayout layout_of(const Problem& problem, std::size_t bytes, std::uint64_t gap) {
  return {bytes, {.rows = problem.rows, .row_length = problem.n, .row_stride = problem.n + gap}};
}

/// The operands of a call on the device, and their images before it.
class Call {
 public:
  Call(const Device& device, const Problem& problem, Distribution distribution, std::uint64_t seed,
       bool in_place, bool gaps)
      : device_(device), problem_(problem) {
    // Each array has a stride of its own, but for what is sorted in place.
    std::uint64_t gap = 0;
    const auto layout = [&](std::size_t bytes) {
      return layout_of(problem, bytes, gaps ? gap += 1 + 7 * (seed % 2) : 0);
    };
    const GuardedLayout keys = layout(size_of(problem.key));
    add(Role::keys_in, GuardedImage(keys, keys_of_rows(problem, distribution, seed)));
    if (problem.operation != Operation::argsort) {
      add_output(Role::keys_out, Role::keys_in, layout(size_of(problem.key)), in_place);
    }
    if (problem.value_bytes != 0) {
      const GuardedLayout values = layout(problem.value_bytes);
      const std::uint64_t bytes = problem.n * problem.rows * problem.value_bytes;
      add(Role::values_in, GuardedImage(values, random_bytes(bytes, seed)));
      add_output(Role::values_out, Role::values_in, layout(problem.value_bytes), in_place);
    }
    if (problem.index_bytes != 0) add(Role::indices_out, GuardedImage(layout(problem.index_bytes)));
  }

  [[nodiscard]] const Operands& operands() const { return operands_; }

  /// What is wrong after the call.
  [[nodiscard]] std::optional<std::string> fault() const {
    std::map<Role, GuardedImage> after;
    Operands on_host;
    for (const auto& [role, image] : images_) {
      const Role memory = shared_.contains(role) ? shared_.at(role) : role;
      after.emplace(role, images_on_device_.at(memory).download());
      if (auto stray = find_stray_write(after.at(role).bytes(), image.layout())) return stray;
      const bool is_only_read = is_input(role) && !is_overwritten(role);
      if (is_only_read && after.at(role) != image) return "an input was changed";
      on_host[role] = is_input(role) ? image.operand() : after.at(role).operand();
    }
    return find_fault(problem_, on_host);
  }

 private:
  static bool is_input(Role role) { return role == Role::keys_in || role == Role::values_in; }
  [[nodiscard]] bool is_overwritten(Role input) const {
    for (const auto& [output, of] : shared_) {
      if (of == input) return true;
    }
    return false;
  }
  void add(Role role, const GuardedImage& image) {
    // Aligned to its elements, and to nothing more.
    const std::size_t offset = 3 * image.layout().element_bytes;
    images_.emplace(role, image);
    operands_[role] = images_on_device_.try_emplace(role, device_, image, offset).first->second.operand();
  }
  void add_output(Role role, Role input, const GuardedLayout& layout, bool in_place) {
    if (!in_place) return add(role, GuardedImage(layout));
    images_.emplace(role, images_.at(input));
    shared_.emplace(role, input);
    operands_[role] = operands_[input];
  }

  const Device& device_;
  Problem problem_;
  std::map<Role, GuardedImage> images_;  ///< before the call
  std::map<Role, DeviceImage> images_on_device_;
  std::map<Role, Role> shared_;  ///< outputs that have the memory of an input
  Operands operands_;
};

}  // namespace

::testing::AssertionResult carries(const Device& device, const Problem& problem, Distribution distribution,
                                   std::uint64_t seed, bool in_place,
                                   const std::function<void(const Operands&)>& run, bool gaps) {
  const Call call(device, problem, distribution, seed, in_place, gaps);
  run(call.operands());
  device.synchronize(nullptr);
  const std::string what = fmt::format("{} on {} keys (seed {}{}{})", text_of(problem), name_of(distribution),
                                       seed, in_place ? ", in place" : "", gaps ? ", gaps" : "");
  if (const auto fault = call.fault()) return ::testing::AssertionFailure() << what << ": " << *fault;
  return ::testing::AssertionSuccess() << what;
}

::testing::AssertionResult carries(const Bench& bench, const Problem& problem,
                                   const Configuration& configuration, Distribution distribution,
                                   std::uint64_t seed, bool in_place, bool gaps) {
  return by_configuration(bench, problem, configuration, [&](const auto& run) {
    return carries(*bench.device, problem, distribution, seed, in_place, run, gaps);
  });
}

}  // namespace bitune::test
