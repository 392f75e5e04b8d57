#pragma once

/// \file
/// The oracle's close look: one row against its input sorted with indices.

#include <cstdint>
#include <optional>
#include <string>

#include "measure/oracle_call.hpp"

namespace bitune::oracle {

/// The first place of a row that is wrong, and how.
struct Fault {
  std::uint64_t place = 0;
  std::string what;  ///< "key 0x07 where 0x05 belongs"
};

/// Nothing if the row is right. Exact: it rests on no digest.
[[nodiscard]] std::optional<Fault> fault_of(const Rules& rules, const Row& row, unsigned threads);

}  // namespace bitune::oracle
