#pragma once

/// \file
/// What a session needs to know of variants and compilers. Sessions are tested with a source of their own.

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "bitune/types.hpp"
#include "model/trial.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"
#include "tuner/strategy.hpp"

namespace bitune {

/// What became of a configuration's kernels before anything is launched.
struct Compilation {
  TrialStatus status = TrialStatus::ok;  ///< or invalid, compile_failed, spilled
  std::string message = {};
  double compile_ms = 0;  ///< 0 if all kernels were there
  int registers = 0;
  int local_bytes = 0;
  int launches = 0;
  std::exception_ptr fatal =
      nullptr;  ///< what no configuration is to blame for: a compiler that is not there
};

/// Where the configurations of a problem come from. Thread-safe.
class TuningSource {
 public:
  virtual ~TuningSource() = default;

  /// All valid configurations of the variants searched.
  [[nodiscard]] virtual SearchDomain domain(const Problem& problem) const = 0;

  /// What is expected to be good, best first: tried before anything a strategy proposes.
  [[nodiscard]] virtual std::vector<Configuration> default_configurations(const Problem& problem) const = 0;

  /// What a sort of the problem takes, given these candidates, whichever variants are searched; nothing if
  /// none can sort it.
  [[nodiscard]] virtual std::optional<Selection> selected(const Problem& problem,
                                                          const CandidateSet& candidates) const = 0;

  /// Compiles what the configuration's plan needs and is not there yet. Who asks it to stop does not look at
  /// what it returns. Does not throw.
  [[nodiscard]] virtual Compilation compile(const Problem& problem, const Configuration& configuration,
                                            const std::stop_token& stop) const = 0;

  /// Digest of the launches that sort the problem: configurations that share it differ only in parameters
  /// that cannot matter here. Empty if that is not known.
  [[nodiscard]] virtual std::string plan_digest(const Problem& problem,
                                                const Configuration& configuration) const = 0;

  /// Digest of the variant's kernel sources, which its trials are stored under.
  [[nodiscard]] virtual std::string kernel_digest(std::string_view variant_name) const = 0;
};

/// The defaults of those of the families that can sort the problem, the likeliest to win first.
[[nodiscard]] std::vector<Configuration> defaults_of(std::span<const Variant* const> families,
                                                     const Problem& problem, const DeviceInfo& device);

/// The registered variants (of these names; all if empty) with the kernels of a device's store.
/// \throws Error (usage) for a name that no variant has.
[[nodiscard]] std::unique_ptr<TuningSource> make_variant_source(const std::vector<std::string>& variant_names,
                                                                const DeviceInfo& device,
                                                                KernelStore& kernels);

}  // namespace bitune
