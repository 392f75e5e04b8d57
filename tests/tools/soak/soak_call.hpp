#pragma once

/// \file
/// One call of the soak: its memory, and whether its result is right.

#include <optional>
#include <string>

#include "bitune/bitune.hpp"
#include "runtime/device.hpp"
#include "tests/tools/soak/soak_case.hpp"

namespace bitune::soak {

/// Makes the memory of a call with guards around each array and between its rows, calls, waits, and asks the
/// oracle. Guards, and what is only read, must be as they were. Returns what is wrong. Several threads may do
/// this at once, each on a stream of its own. \throws Error as Sorter::run
[[nodiscard]] std::optional<std::string> find_fault_of_case(Sorter& sorter, const Device& device,
                                                            const Case& one, Stream stream);

}  // namespace bitune::soak
