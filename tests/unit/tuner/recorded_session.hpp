#pragma once

/// \file
/// Sessions on a device whose times are on record: every trial is answered from a recorded space.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/variant.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/replay.hpp"
#include "tuner/tuning_source.hpp"

namespace bitune::testing_support {

/// Spaces of several problems.
class Recorded {
 public:
  explicit Recorded(std::vector<RecordedSpace> spaces);
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  [[nodiscard]] const std::vector<RecordedSpace>& spaces() const noexcept { return spaces_; }
  /// Null if the problem, or the configuration for it, is not on record.
  [[nodiscard]] const RecordedSpace* space(const Problem& problem) const;
  [[nodiscard]] const Trial* trial(const Problem& problem, const Configuration& configuration) const;
  /// The median on record. Precondition: there is one.
  [[nodiscard]] double time_us(const Problem& problem, const Configuration& configuration) const;
  /// Of the variant's trials of the problem the fastest; null if none is sound.
  [[nodiscard]] const Trial* best(const Problem& problem, std::string_view variant) const;

 private:
  std::vector<RecordedSpace> spaces_;
  std::vector<std::map<Configuration, const Trial*>> trials_;  ///< of each space
};

/// A variant whose valid configurations are those on record. Its default is the first sound one.
class RecordedVariant final : public Variant {
 public:
  RecordedVariant(std::string name, const Recorded& recorded);

  std::string_view name() const noexcept override { return name_; }
  std::string_view description() const noexcept override { return "on record"; }
  std::vector<std::string_view> kernel_headers() const override { return {}; }
  bool supports(const Problem& problem, const DeviceInfo& device) const override;
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& configuration,
            const DeviceInfo& device) const override;

 private:
  std::string name_;
  const Recorded& recorded_;
  std::vector<Parameter> parameters_;
};

/// Searches what is on record, of all variants or of one.
class RecordedSource final : public TuningSource {
 public:
  static constexpr const char* digest = "kernels on record";

  RecordedSource(const Recorded& recorded, DeviceInfo device);

  SearchDomain domain(const Problem& problem) const override;
  std::vector<Configuration> default_configurations(const Problem& problem) const override;
  std::optional<Selection> selected(const Problem& problem, const CandidateSet& candidates) const override;
  Compilation compile(const Problem& problem, const Configuration& configuration,
                      const std::stop_token& stop) const override;
  std::string plan_digest(const Problem&, const Configuration&) const override { return {}; }
  std::string kernel_digest(std::string_view) const override { return digest; }

  std::string only_variant;  ///< that is searched; empty: all

 private:
  const Recorded& recorded_;
  DeviceInfo device_;
  std::vector<std::unique_ptr<RecordedVariant>> owned_;
  std::vector<const Variant*> variants_;
};

/// Answers with the samples on record, all of a measurement faster or slower by up to `noise`.
class RecordedEvaluator final : public Evaluator {
 public:
  RecordedEvaluator(const Recorded& recorded, std::uint64_t seed, double noise)
      : recorded_(recorded), random_(seed), noise_(noise) {}

  Trial evaluate(const EvaluationRequest& request) override;

 private:
  const Recorded& recorded_;
  std::mt19937_64 random_;
  double noise_;
};

}  // namespace bitune::testing_support
