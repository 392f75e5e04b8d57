#pragma once

/// \file
/// A call whose arrays lie in the host's memory.

#include <cstdint>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "runtime/host_rows.hpp"
#include "runtime/host_sort.hpp"

namespace bitune {

/// What is carried to the device, done there, and carried back. On the device each array is packed, and what
/// is read and written is so in place.
struct HostCall {
  struct Array {
    Role role = Role::keys_out;  ///< on the device
    HostArray memory;
    std::uint64_t elements = 0;
    std::uint64_t stride = 0;
  };

  Problem problem;
  std::vector<Array> arrays;
  HostReading reading = {};
};

/// The call of these operands, whose rows may have gaps: `rows` keeps what is packed, until the call is done.
[[nodiscard]] HostCall host_call(const Problem& problem, const Operands& operands, HostRows& rows);

}  // namespace bitune
