#pragma once

/// \file
/// What a plan's launches get, where the operands of a call do not lie as they are to.

#include <memory>
#include <vector>

#include "bitune/operands.hpp"
#include "model/plan.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// The operands of a call as the launches of a plan want them (Plan::copied_in_place, Plan::packed). Copies
/// are in the order of the stream. Memory of its own is freed in that order, when it ends. \throws Error
/// (device)
class StagedOperands {
 public:
  StagedOperands(const Device& device, const Plan& plan, const Operands& given, Stream stream);

  /// Each input is there, if it is the output's memory, too.
  [[nodiscard]] const Operands& operands() const noexcept { return operands_; }

  /// Behind the launches: copies to the call's operands what was written elsewhere.
  void write_back() const;

 private:
  struct Packed {
    PackedRows rows;
    Operand given;
    std::unique_ptr<DeviceBuffer> copy;
  };
  void copy(const PackedRows& rows, const Operand& to, const Operand& from) const;

  const Device* device_;
  Stream stream_;
  Operands operands_;
  std::vector<Packed> packed_;
};

}  // namespace bitune
