#pragma once

/// \file
/// A trial: one configuration evaluated on one problem, with everything that was seen.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"
#include "model/clock.hpp"
#include "model/configuration.hpp"

namespace bitune {

/// How a trial ended. Only `ok` trials were verified and can be selected.
enum class TrialStatus : std::uint8_t {
  ok,
  invalid,         ///< a restriction excludes it
  compile_failed,  ///< the compiler refused it
  spilled,         ///< local memory per thread is not zero: not launched
  over_limit,      ///< registers, threads or shared memory exceed the device: not launched
  launch_failed,   ///< the driver refused the launch, or the kernel faulted
  wrong_result,    ///< not sorted, not a permutation, or a guard byte was overwritten
  timed_out,       ///< cut off by the time limit
  unverified,      ///< has times, but a file claims them: bitune did not verify it here
};

[[nodiscard]] std::string_view name_of(TrialStatus status) noexcept;
[[nodiscard]] TrialStatus parse_trial_status(std::string_view text);
inline void parse_name(std::string_view text, TrialStatus& status) { status = parse_trial_status(text); }

/// How samples are taken. Stored with each trial; trials under different protocols are not ranked together.
struct Protocol {
  std::string distribution = "random";
  std::uint64_t seed = 1;
  bool cold_l2 = false;
  int min_samples = 7;
  int max_samples = 200;
  double sample_budget_ms = 100;  ///< stop taking samples of one configuration after this much device time
  /// Stop also as soon as the bootstrap interval of the median is within this part of it on either side, from
  /// min_samples on. 0: never, as it was before there were intervals.
  double precision = 0.01;

  /// Arrays of different keys, of this seed and those after it, that samples take turns with, where they are
  /// short (images_in_turn, measure/sampler.hpp).
  int inputs = 8;

  /// Of segments, how long they are: "uniform" or another distribution, or the path of a file
  /// (measure/segments.hpp). Empty of other shapes.
  std::string lengths = {};

  bool operator==(const Protocol&) const = default;

  /// Canonical text: the key of a protocol in the database.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Protocol parse(std::string_view text);
};

/// One configuration evaluated.
struct Trial {
  Problem problem;
  Configuration configuration;
  std::string kernel_digest;  ///< digest of the kernel sources that the configuration uses
  TrialStatus status = TrialStatus::ok;
  std::string message;             ///< why it is not ok; empty otherwise
  std::vector<double> samples_us;  ///< all samples, in the order in which they were taken
  ClockSummary clock;              ///< of the device while they were taken
  int remeasured = 0;              ///< how often they were discarded and taken again, as the clock had fallen
  double compile_ms = 0;
  double verify_ms = 0;
  double measure_ms = 0;
  int registers = 0;              ///< most registers a thread over the plan's kernels
  int local_bytes = 0;            ///< most local bytes a thread over the plan's kernels
  std::int64_t shared_bytes = 0;  ///< most shared bytes a block, static and dynamic
  int launches = 0;
  bool finalist = false;  ///< samples were taken in turn with other finalists
  std::string timestamp;  ///< UTC, "2026-11-21 12:00:00.000"

  /// Calls visit(name, member, age) for each plain field. Problem, configuration, samples and clock have
  /// forms of their own. The digest of the kernels stands for a row of another table.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("status", &Trial::status, FieldAge::first);
    visit("message", &Trial::message, FieldAge::first);
    visit("remeasured", &Trial::remeasured, FieldAge::later);
    visit("compile_ms", &Trial::compile_ms, FieldAge::first);
    visit("verify_ms", &Trial::verify_ms, FieldAge::first);
    visit("measure_ms", &Trial::measure_ms, FieldAge::first);
    visit("registers", &Trial::registers, FieldAge::first);
    visit("local_bytes", &Trial::local_bytes, FieldAge::first);
    visit("shared_bytes", &Trial::shared_bytes, FieldAge::first);
    visit("launches", &Trial::launches, FieldAge::first);
    visit("finalist", &Trial::finalist, FieldAge::first);
    visit("timestamp", &Trial::timestamp, FieldAge::first);
  }

  /// Median of the samples in microseconds; nothing if there is none.
  [[nodiscard]] std::optional<double> median_us() const;
};

}  // namespace bitune
