#include "tuner/local_evaluator.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "measure/image_maker.hpp"
#include "measure/measure.hpp"
#include "measure/problem_data.hpp"
#include "measure/verify.hpp"
#include "runtime/variant.hpp"
#include "tuner/resources.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 3> phase_names = {"prepare", "compile", "run"};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

class LocalEvaluator final : public Evaluator {
 public:
  LocalEvaluator(std::shared_ptr<Device> device, std::shared_ptr<KernelStore> kernels,
                 std::function<void(EvaluationPhase)> on_phase)
      : device_(std::move(device)),
        kernels_(std::move(kernels)),
        on_phase_(std::move(on_phase)),
        stream_(device_->create_stream()),
        verifier_(*device_, *kernels_),
        measurer_(*device_, *kernels_) {}

  Trial evaluate(const EvaluationRequest& request) override {
    Trial trial = begun_trial(request.problem, request.configuration);
    try {
      run(request, trial);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::device) {
        require_healthy_device(error);
        fail(trial, TrialStatus::launch_failed, error.what());
      } else if (error.code() == ErrorCode::compile) {
        fail(trial, TrialStatus::compile_failed, error.what());
      } else if (error.code() == ErrorCode::out_of_resources) {
        fail(trial, TrialStatus::over_limit, error.what());
      } else if (error.code() == ErrorCode::usage) {
        fail(trial, TrialStatus::invalid, error.what());
      } else {
        throw;
      }
    }
    return trial;
  }

 private:
  static void fail(Trial& trial, TrialStatus status, std::string message) {
    trial.status = status;
    trial.message = std::move(message);
    trial.samples_us.clear();  // what was sampled before a failure is no evidence
  }

  void enter(EvaluationPhase phase) const {
    if (on_phase_) on_phase_(phase);
  }

  void run(const EvaluationRequest& request, Trial& trial) {
    const DeviceInfo& info = device_->info();
    if (const auto why = refusal(request.configuration, request.problem, info)) {
      return fail(trial, TrialStatus::invalid, *why);
    }
    const Variant& family = variant(request.configuration.variant);
    const std::optional<ExecutablePlan> plan =
        load(family.plan(request.problem, request.configuration, info), info, trial);
    if (!plan) return;

    MeasuredInput measured{.distribution = parse_distribution(request.protocol.distribution),
                           .seed = request.protocol.seed,
                           .inputs = request.protocol.inputs};
    if (request.problem.ragged) measured.lengths = request.protocol.lengths;
    if (!data_ || !data_->is_for(request.problem, measured)) {
      enter(EvaluationPhase::prepare);
      data_.reset();  // before the next: both at once may not fit
      data_.emplace(*device_, request.problem, measured, stream_->handle(),
                    ImageMaker::pays(*device_, request.problem) ? kernels_.get() : nullptr);
    }
    void* const workspace = workspace_for(plan->plan().workspace_bytes);

    if (request.verify) {
      if (!verifier_.is_ready_for(request.problem)) {
        enter(EvaluationPhase::compile);
        verifier_.prepare(request.problem);
      }
      enter(EvaluationPhase::run);
      const auto begin = Clock::now();
      const auto wrong = verifier_.check(*plan, *data_, workspace, stream_->handle());
      trial.verify_ms = ms_since(begin);
      if (wrong) return fail(trial, TrialStatus::wrong_result, *wrong);
    }

    enter(EvaluationPhase::run);
    Measurement measurement = measurer_.measure(*plan, *data_, measured.distribution, request.protocol,
                                                request.abandon_above_us, workspace, stream_->handle());
    trial.samples_us = std::move(measurement.samples_us);
    trial.clock = measurement.clock;
    trial.remeasured = measurement.remeasured;
    trial.measure_ms = measurement.wall_ms;
    if (measurement.abandoned) {
      // Verified and honestly timed, so it is ok; its few samples are all above the bound, so it cannot rank
      // below it.
      trial.message = fmt::format("stopped after {} samples, all above {:.1f} us", trial.samples_us.size(),
                                  request.abandon_above_us);
    }
  }

  /// The plan with its kernels; nothing if they do not fit the device, which is then in the trial.
  std::optional<ExecutablePlan> load(Plan plan, const DeviceInfo& info, Trial& trial) const {
    enter(EvaluationPhase::compile);
    std::vector<std::shared_ptr<LoadedKernel>> loaded;
    std::vector<KernelResources> resources;
    for (const KernelSource& source : plan.kernels) {
      StoredKernel stored = kernels_->get(source);
      trial.compile_ms += stored.compile_ms;
      resources.push_back(stored.kernel->resources());
      loaded.push_back(std::move(stored.kernel));
    }
    const ResourceCheck check = check_resources(plan, resources, info);
    trial.registers = check.registers;
    trial.local_bytes = check.local_bytes;
    trial.shared_bytes = check.shared_bytes;
    trial.launches = static_cast<int>(plan.launches.size());
    if (check.status != TrialStatus::ok) {
      fail(trial, check.status, check.message);
      return std::nullopt;
    }
    return ExecutablePlan(*device_, std::move(plan), std::move(loaded));
  }

  void* workspace_for(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    if (!workspace_ || workspace_->size() < bytes) {
      workspace_.reset();
      workspace_ = device_->allocate(bytes);
    }
    return workspace_->data();
  }

  /// A refused launch leaves the device usable; a fault in a kernel leaves a context in which everything
  /// fails, and which only the end of the process clears. \throws the error if it is of the second kind.
  void require_healthy_device(const Error& error) {
    try {
      const auto probe = device_->allocate(256);
      device_->fill(probe->data(), 0, probe->size(), stream_->handle());
      device_->synchronize(stream_->handle());
    } catch (const Error&) {
      throw error;  // NOLINT: the first error says what happened, the probe's only that it lasts
    }
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<KernelStore> kernels_;
  std::function<void(EvaluationPhase)> on_phase_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::optional<ProblemData> data_;  ///< of the problem under way
  Verifier verifier_;
  Measurer measurer_;
};

}  // namespace

std::string_view name_of(EvaluationPhase phase) noexcept {
  return phase_names[static_cast<std::size_t>(phase)];
}

EvaluationPhase parse_evaluation_phase(std::string_view text) {
  for (std::size_t i = 0; i < phase_names.size(); ++i) {
    if (phase_names[i] == text) return static_cast<EvaluationPhase>(i);
  }
  throw Error(ErrorCode::input, fmt::format("'{}' is no phase of an evaluation", text));
}

std::unique_ptr<Evaluator> make_local_evaluator(std::shared_ptr<Device> device,
                                                std::shared_ptr<KernelStore> kernels,
                                                std::function<void(EvaluationPhase)> on_phase) {
  return std::make_unique<LocalEvaluator>(std::move(device), std::move(kernels), std::move(on_phase));
}

std::unique_ptr<Evaluator> make_local_evaluator(std::shared_ptr<Device> device,
                                                std::shared_ptr<KernelStore> kernels) {
  return make_local_evaluator(std::move(device), std::move(kernels), nullptr);
}

}  // namespace bitune
