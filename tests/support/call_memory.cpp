#include "tests/support/call_memory.hpp"

#include <algorithm>

namespace bitune::test {
namespace {

bool is_output(Role role) {
  return role == Role::keys_out || role == Role::values_out || role == Role::indices_out;
}

}  // namespace

void CallMemory::add(Role role, const GuardedImage& before, std::uint64_t offset) {
  Array& array = arrays_.emplace(role, Array{before}).first->second;
  if (device_ == nullptr) {
    operands_[role] = array.on_host.emplace(before).operand();
  } else {
    const std::size_t bytes = offset * before.layout().element_bytes;
    operands_[role] = array.on_device.emplace(*device_, before, bytes, stream_).operand();
  }
}

void CallMemory::add_output(Role role, Role input, const GuardedLayout& layout, bool in_place,
                            std::uint64_t offset) {
  if (!in_place) return add(role, GuardedImage(layout), offset);
  arrays_.emplace(role, Array{.before = arrays_.at(input).before, .input = input});
  operands_[role] = operands_[input];
}

void CallMemory::add_numbers(Role role, const std::vector<std::byte>& numbers, std::size_t number_bytes,
                             std::uint64_t offset) {
  const RowRanges one_row{.rows = 1, .row_length = numbers.size() / number_bytes, .row_stride = number_bytes};
  add(role, GuardedImage({number_bytes, one_row}, numbers), offset);
}

GuardedImage CallMemory::now(Role role) const {
  const Array& array = arrays_.at(arrays_.at(role).input.value_or(role));
  return array.on_device ? array.on_device->download() : *array.on_host;
}

bool CallMemory::is_only_read(Role role) const {
  return !is_output(role) && std::none_of(arrays_.begin(), arrays_.end(),
                                          [role](const auto& one) { return one.second.input == role; });
}

std::optional<std::string> CallMemory::stray() const {
  for (const auto& [role, array] : arrays_) {
    const GuardedImage after = now(role);
    if (auto found = find_stray_write(after.bytes(), array.before.layout())) return found;
    if (is_only_read(role) && after != array.before) return "an input was changed";
  }
  return std::nullopt;
}

std::optional<std::string> CallMemory::fault(const OracleOptions& options) const {
  if (auto found = stray()) return found;
  std::map<Role, GuardedImage> results;
  Operands on_host;
  for (const auto& [role, array] : arrays_) {
    on_host[role] =
        is_output(role) ? results.emplace(role, now(role)).first->second.operand() : array.before.operand();
  }
  return find_fault(problem_, on_host, options);
}

CallMemory memory_of_keys(const Device& device, const Problem& problem, const GuardedImage& input,
                          std::uint64_t offset, bool out_of_place) {
  CallMemory memory(problem, &device);
  memory.add(Role::keys_in, input, offset);
  memory.add_output(Role::keys_out, Role::keys_in, input.layout(), !out_of_place, offset);
  if (!out_of_place) memory.operands()[Role::keys_in] = {};
  return memory;
}

}  // namespace bitune::test
