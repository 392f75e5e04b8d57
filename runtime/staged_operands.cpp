#include "runtime/staged_operands.hpp"

#include <cstddef>
#include <utility>

namespace bitune {
namespace {

bool is_input(Role role) { return role == Role::keys_in || role == Role::values_in; }

}  // namespace

StagedOperands::StagedOperands(const Device& device, const Plan& plan, const Operands& given, Stream stream)
    : device_(&device), stream_(stream), operands_(given) {
  operands_[Role::keys_in] = given.input();
  operands_[Role::values_in] = given.input_values();
  for (const CopiedInput& input : plan.copied_in_place) {
    Operand& operand = operands_[input.role];
    const Role output = input.role == Role::keys_in ? Role::keys_out : Role::values_out;
    if (operand.data == nullptr || operand.data != given[output].data) continue;
    void* const copied = static_cast<std::byte*>(given[Role::workspace].data) + input.workspace;
    device.copy_rows_on_device(copied, input.bytes, operand.data, input.bytes, input.bytes, 1, stream);
    operand.data = copied;
  }
  for (const PackedRows& rows : plan.packed) {
    Operand& operand = operands_[rows.role];
    if (operand.stride == rows.elements) continue;
    auto memory = device.allocate_async(rows.elements * rows.rows * rows.element_bytes, stream);
    const Operand copied{memory->data(), operand.elements, rows.elements};
    if (is_input(rows.role)) copy(rows, copied, operand);
    packed_.push_back({rows, std::exchange(operand, copied), std::move(memory)});
  }
}

void StagedOperands::write_back() const {
  for (const Packed& packed : packed_) {
    if (!is_input(packed.rows.role)) copy(packed.rows, packed.given, operands_[packed.rows.role]);
  }
}

void StagedOperands::copy(const PackedRows& rows, const Operand& to, const Operand& from) const {
  device_->copy_rows_on_device(to.data, to.stride * rows.element_bytes, from.data,
                               from.stride * rows.element_bytes, rows.elements * rows.element_bytes,
                               rows.rows, stream_);
}

}  // namespace bitune
