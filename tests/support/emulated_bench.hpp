#pragma once

/// \file
/// The emulated device of a test's process.

#include "runtime/device.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {

/// One for all tests of the process. Thread-safe.
inline const Bench& emulated_bench() {
  static const Bench bench = make_bench(open_device("emulated"));
  return bench;
}

}  // namespace bitune::test
