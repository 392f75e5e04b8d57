#include "tests/tools/soak/soak_call.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "measure/guarded_image.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::soak {
namespace {

/// `segments`: empty of arrays and rows.
std::size_t element_bytes(const Problem& problem, const Segments& segments, Role role) {
  switch (role) {
    case Role::offsets:
    case Role::ends:
      return segments.number_bytes;
    case Role::values_in:
    case Role::values_out:
      return problem.value_bytes;
    case Role::indices_out:
      return problem.index_bytes;
    default:
      return size_of(problem.key);
  }
}

bool is_input(Role role) {
  return role == Role::keys_in || role == Role::values_in || role == Role::offsets || role == Role::ends;
}

GuardedLayout layout_of(const Case& one, const Segments& segments, Role role) {
  const Problem& problem = one.problem;
  const std::size_t bytes = element_bytes(problem, segments, role);
  if (role == Role::offsets || role == Role::ends) {
    const std::uint64_t numbers = segments.count() + (segments.with_ends ? 0 : 1);
    return {bytes, {.rows = 1, .row_length = numbers, .row_stride = bytes, .begins = {}, .lengths = {}}};
  }
  const bool is_shorter = problem.operation == Operation::top_k && !is_input(role);
  if (problem.ragged && !is_shorter) {
    GuardedLayout layout(bytes, {.rows = problem.rows,
                                 .row_length = problem.n,
                                 .row_stride = problem.n,
                                 .begins = segments.begins,
                                 .lengths = segments.lengths});
    layout.elements = problem.n;
    return layout;
  }
  const std::uint64_t length = is_shorter ? result_length(problem) : problem.n;
  return {bytes,
          {.rows = problem.rows,
           .row_length = length,
           .row_stride = length + one.gaps[static_cast<std::size_t>(role)],
           .begins = {},
           .lengths = {}}};
}

/// The memory of a call, in the device's memory or in the host's.
class Arrays {
 public:
  Arrays(const Device& device, const Case& one, Stream stream)
      : device_(device),
        one_(one),
        segments_(one.problem.ragged ? segments_of(one) : Segments{}),
        stream_(stream) {
    const Problem& problem = one.problem;
    const std::uint64_t keys = key_count(problem);
    if (problem.ragged) {
      add(Role::offsets, segments_.offsets());
      if (segments_.with_ends) add(Role::ends, segments_.ends());
    }
    std::vector<std::byte> input(keys * size_of(problem.key));
    fill_keys(input, problem.key, one.distribution, one.data_seed);
    add(Role::keys_in, input);
    if (problem.value_bytes != 0) {
      std::vector<std::byte> values(keys * problem.value_bytes);
      fill_values(values, one.data_seed);
      add(Role::values_in, values);
      add_output(Role::values_out, Role::values_in, one.values_in_place);
    }
    if (problem.operation != Operation::argsort && !one.leaves_keys_out) {
      add_output(Role::keys_out, Role::keys_in, one.keys_in_place);
    }
    if (problem.index_bytes != 0) add(Role::indices_out, {});
  }

  [[nodiscard]] const Operands& operands() const { return operands_; }

  /// What is wrong after the call. Waits for it.
  [[nodiscard]] std::optional<std::string> fault() {
    std::map<Role, GuardedImage> after;
    Operands on_host;
    for (const auto& [role, before] : before_) {
      const auto found = after.emplace(role, now(role)).first;
      if (auto stray = find_stray_write(found->second.bytes(), before.layout())) return stray;
      if (is_input(role) && !overwritten_.contains(role) && found->second != before)
        return "an input was changed";
      on_host[role] = is_input(role) ? before.operand() : found->second.operand();
    }
    return find_fault(one_.problem, on_host, {.threads = 1});
  }

 private:
  void add(Role role, const std::vector<std::byte>& packed) {
    const GuardedLayout layout = layout_of(one_, segments_, role);
    before_.emplace(role, packed.empty() ? GuardedImage(layout) : GuardedImage(layout, packed));
    const GuardedImage& image = before_.at(role);
    if (one_.memory == Memory::host) {
      // Operands are not const, since one type serves inputs and outputs.
      operands_[role] = on_host_.emplace(role, image).first->second.operand();
      return;
    }
    auto memory = device_.allocate(image.bytes().size() + offset(role));
    device_.copy_to_device(begin(*memory, role), image.bytes().data(), image.bytes().size(), stream_);
    operands_[role] = layout.operand(begin(*memory, role));
    on_device_.emplace(role, std::move(memory));
  }

  /// In place it has the memory of the input. That is named for one of them, or for both.
  void add_output(Role role, Role input, bool in_place) {
    if (!in_place) return add(role, {});
    before_.emplace(role, before_.at(input));
    shared_.emplace(role, input);
    overwritten_.insert(input);
    operands_[role] = operands_[input];
    if (!one_.names_input) operands_[input] = {};
  }

  [[nodiscard]] std::uint64_t offset(Role role) const {
    return one_.offsets[static_cast<std::size_t>(role)] * element_bytes(one_.problem, segments_, role);
  }
  [[nodiscard]] std::byte* begin(const DeviceBuffer& memory, Role role) const {
    return static_cast<std::byte*>(memory.data()) + offset(role);
  }

  [[nodiscard]] GuardedImage now(Role role) {
    const Role owner = shared_.contains(role) ? shared_.at(role) : role;
    if (one_.memory == Memory::host) return on_host_.at(owner);
    GuardedImage image(before_.at(owner).layout());
    device_.copy_to_host(image.bytes().data(), begin(*on_device_.at(owner), owner), image.bytes().size(),
                         stream_);
    device_.synchronize(stream_);
    return image;
  }

  const Device& device_;
  const Case& one_;
  Segments segments_;
  Stream stream_;
  std::map<Role, GuardedImage> before_;
  std::map<Role, GuardedImage> on_host_;
  std::map<Role, std::unique_ptr<DeviceBuffer>> on_device_;
  std::map<Role, Role> shared_;  ///< outputs that have the memory of an input
  std::set<Role> overwritten_;   ///< these inputs
  Operands operands_;
};

/// A workspace with guard bytes behind it.
class GuardedWorkspace {
 public:
  GuardedWorkspace(const Device& device, std::uint64_t bytes, Stream stream)
      : device_(device),
        bytes_(bytes),
        memory_(device.allocate(bytes + GuardedLayout::guard_bytes)),
        stream_(stream) {
    device.fill(memory_->data(), GuardedLayout::guard_value, bytes + GuardedLayout::guard_bytes, stream);
  }
  [[nodiscard]] Operand operand() const { return {memory_->data(), bytes_, 0}; }
  [[nodiscard]] bool is_whole() const {
    std::vector<unsigned char> guard(GuardedLayout::guard_bytes);
    device_.copy_to_host(guard.data(), static_cast<std::byte*>(memory_->data()) + bytes_, guard.size(),
                         stream_);
    device_.synchronize(stream_);
    return std::all_of(guard.begin(), guard.end(),
                       [](unsigned char byte) { return byte == GuardedLayout::guard_value; });
  }

 private:
  const Device& device_;
  std::uint64_t bytes_;
  std::unique_ptr<DeviceBuffer> memory_;
  Stream stream_;
};

}  // namespace

std::optional<std::string> find_fault_of_case(Sorter& sorter, const Device& device, const Case& one,
                                              Stream stream) {
  Arrays arrays(device, one, stream);
  Operands operands = arrays.operands();
  if (one.memory == Memory::host) {
    sorter.run_host(one.problem, operands);
    return arrays.fault();
  }
  std::optional<GuardedWorkspace> workspace;
  if (one.gives_workspace) {
    workspace.emplace(device, sorter.workspace_size(one.problem), stream);
    operands[Role::workspace] = workspace->operand();
  }
  sorter.run(one.problem, operands, stream);
  auto fault = arrays.fault();
  if (!fault && workspace && !workspace->is_whole()) fault = "wrote behind its workspace";
  return fault;
}

}  // namespace bitune::soak
