#pragma once

/// \file
/// A plan verified as the tuner verifies it, on the emulated device.

#include <optional>
#include <string>
#include <utility>

#include "measure/problem_data.hpp"
#include "measure/verify.hpp"
#include "tests/support/emulated_bench.hpp"

namespace bitune::test {

/// What the verifier finds wrong; nothing if the plan is right.
inline std::optional<std::string> verify(const Problem& problem, Plan plan,
                                         const MeasuredInput& input = {
                                             .distribution = Distribution::random, .seed = 1, .inputs = 8}) {
  const Bench& bench = emulated_bench();
  const auto stream = bench.device->create_stream();
  const ProblemData data(*bench.device, problem, input, stream->handle());
  Verifier verifier(*bench.device, *bench.kernels);
  const auto workspace = bench.device->allocate(plan.workspace_bytes + 1);
  const auto executable = make_executable(*bench.device, *bench.kernels, std::move(plan));
  return verifier.check(executable, data, workspace->data(), stream->handle());
}

}  // namespace bitune::test
