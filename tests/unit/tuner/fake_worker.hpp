#pragma once

/// \file
/// A worker program that misbehaves on demand: this test's own executable, started with "worker" as first
/// argument.

#include <string>

namespace bitune::testing_support {

/// Path of this executable.
[[nodiscard]] std::string own_program();

/// Acts as a worker; `behaviour` is what came as `--device`. Returns the exit code.
int run_fake_worker(const std::string& behaviour);

}  // namespace bitune::testing_support
