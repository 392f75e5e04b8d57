#pragma once

/// \file
/// What a cubin does, apart from what things in it are called.

#include <cstddef>
#include <string>
#include <string_view>

namespace bitune::test {

/// The machine code of a cubin.
struct MachineCode {
  std::string digest;  ///< of instructions, constants, the sizes of memory, registers and barriers
  /// The same, whatever the order in which a kernel waits for the launch before and lets the next one begin.
  /// Instructions up to some behind the last of the two count by what they do, in no order; all behind them
  /// count as they are. Of a kernel that does neither, the digest.
  std::string any_launch_order;
  std::size_t bytes = 0;  ///< of instructions
};

/// The digest holds all that runs, and no name: neither of a kernel, nor of a header, nor of a symbol.
/// \throws std::runtime_error if these bytes are no cubin
[[nodiscard]] MachineCode machine_code(std::string_view cubin);

}  // namespace bitune::test
