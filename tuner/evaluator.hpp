#pragma once

/// \file
/// Evaluators: one configuration on one problem in, one trial out.

#include <memory>
#include <string>

#include "bitune/error.hpp"
#include "model/trial.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// What to do with a configuration.
struct EvaluationRequest {
  Problem problem;
  Configuration configuration;
  Protocol protocol;
  bool verify = true;           ///< against a reference on all distributions, with guard bytes
  double abandon_above_us = 0;  ///< stop after the first samples if plainly slower than this; 0: never
};

/// A trial of today's kernels that begins now: nothing of it was evaluated yet.
[[nodiscard]] Trial begun_trial(const Problem& problem, const Configuration& configuration);

/// The keys of a problem could not be made in the time there is: none of its configurations can be evaluated.
class ProblemTimeout : public Error {
 public:
  explicit ProblemTimeout(const std::string& sentence) : Error(ErrorCode::out_of_resources, sentence) {}
};

/// Verifies and measures configurations. `evaluate` throws only if the evaluator itself cannot go on (a
/// worker that cannot be started), or ProblemTimeout: whatever the configuration does ends up in the trial's
/// status.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  [[nodiscard]] virtual Trial evaluate(const EvaluationRequest& request) = 0;
};

/// Evaluates in this process: for tests and inside workers. A hang hangs; a sticky CUDA error is thrown on.
[[nodiscard]] std::unique_ptr<Evaluator> make_local_evaluator(std::shared_ptr<Device> device,
                                                              std::shared_ptr<KernelStore> kernels);

/// Evaluates in a worker process (`program worker --device S --cache DIR`, JSON lines over pipes). It is
/// killed and started again when an evaluation exceeds `timeout_seconds`, crashes, or reports a sticky CUDA
/// error.
struct WorkerOptions {
  std::string program;  ///< path of the bitune executable
  std::string device;   ///< selector
  std::string kernel_cache;
  double timeout_seconds = 30;
  /// Whether making the keys of a problem, and compiling, have no more time either. Else they have minutes.
  bool timeout_for_all = false;
};
[[nodiscard]] std::unique_ptr<Evaluator> make_worker_evaluator(const WorkerOptions& options);

/// The worker's side: reads requests from standard input and writes trials to standard output until end of
/// file. Returns the exit code.
int run_worker(const std::string& device, const std::string& kernel_cache);

}  // namespace bitune
