#include "tuner/tuning_source.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/kernel_limits.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/untuned_policy.hpp"

namespace bitune {
namespace {

using Clock = std::chrono::steady_clock;

/// Of all that a launch depends on.
std::string digest_of(const Plan& plan) {
  Digest digest;
  const auto add = [&digest](std::uint64_t number) {
    digest.add({reinterpret_cast<const char*>(&number), sizeof(number)});
  };
  for (const KernelSource& kernel : plan.kernels) digest.add(kernel.header).add(kernel.name_expression);
  add(plan.workspace_bytes);
  for (const Launch& launch : plan.launches) {
    add(launch.kernel);
    for (const std::uint32_t size : launch.grid) add(size);
    for (const std::uint32_t size : launch.block) add(size);
    add(launch.shared_bytes);
    add(launch.cluster);
    add(launch.dependent ? 1U : 0U);
    for (const Argument& argument : launch.arguments) {
      add(static_cast<std::uint64_t>(argument.kind));
      add(argument.value);
    }
  }
  return digest.hex();
}

class VariantSource final : public TuningSource {
 public:
  VariantSource(std::vector<const Variant*> searched, const DeviceInfo& device, KernelStore& kernels)
      : searched_(std::move(searched)), device_(device), kernels_(kernels) {}

  SearchDomain domain(const Problem& problem) const override {
    SearchDomain domain;
    for (const Variant* family : searched_) {
      if (!family->supports(problem, device_)) continue;
      auto valid = family->space(problem, device_).valid(problem, device_);
      std::move(valid.begin(), valid.end(), std::back_inserter(domain.configurations));
    }
    return domain;
  }

  std::vector<Configuration> default_configurations(const Problem& problem) const override {
    return defaults_of(searched_, problem, device_);
  }

  std::optional<Selection> selected(const Problem& problem, const CandidateSet& candidates) const override {
    try {
      return select(problem, device_, candidates);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unavailable) throw;
      return std::nullopt;
    }
  }

  Compilation compile(const Problem& problem, const Configuration& configuration,
                      const std::stop_token& stop) const override {
    Compilation result;
    try {
      const Plan plan = variant(configuration.variant).plan(problem, configuration, device_);
      result.launches = static_cast<int>(plan.launches.size());
      for (const KernelSource& source : plan.kernels) {
        if (result.status == TrialStatus::ok && !stop.stop_requested()) compile_one(source, result, stop);
      }
    } catch (const Error& error) {
      result.message = error.what();
      if (error.code() == ErrorCode::compile) {
        result.status = TrialStatus::compile_failed;
      } else if (error.code() == ErrorCode::usage) {
        result.status = TrialStatus::invalid;
      } else {
        result.fatal = std::current_exception();
      }
    } catch (...) {
      result.fatal = std::current_exception();
    }
    return result;
  }

  std::string plan_digest(const Problem& problem, const Configuration& configuration) const override {
    try {
      return digest_of(variant(configuration.variant).plan(problem, configuration, device_));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      return {};  // there is no such plan: whoever compiles it hears why
    }
  }

  std::string kernel_digest(std::string_view variant_name) const override {
    return kernel_sources_digest(variant_name);
  }

 private:
  void compile_one(const KernelSource& source, Compilation& result, const std::stop_token& stop) const {
    const auto begin = Clock::now();
    KernelOrigin origin = KernelOrigin::memory;
    const KernelImage image = kernels_.image(source, &origin, stop);
    if (origin == KernelOrigin::compiled) {
      result.compile_ms += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    }
    result.registers = std::max(result.registers, image.registers);
    result.local_bytes = std::max(result.local_bytes, image.local_bytes);
    if (image.local_bytes > 0) {
      result.status = TrialStatus::spilled;
      result.message = spill_text(source.short_name(), image.local_bytes);
    }
  }

  std::vector<const Variant*> searched_;
  DeviceInfo device_;
  KernelStore& kernels_;
};

}  // namespace

std::vector<Configuration> defaults_of(std::span<const Variant* const> families, const Problem& problem,
                                       const DeviceInfo& device) {
  std::vector<Configuration> defaults;
  for (const Variant* family : untuned_order(problem, device, families)) {
    defaults.push_back(family->default_configuration(problem, device));
  }
  return defaults;
}

std::unique_ptr<TuningSource> make_variant_source(const std::vector<std::string>& variant_names,
                                                  const DeviceInfo& device, KernelStore& kernels) {
  std::vector<const Variant*> searched;
  searched.reserve(variant_names.size());
  for (const std::string& name : variant_names) searched.push_back(&variant(name));
  if (searched.empty()) {
    std::copy_if(variants().begin(), variants().end(), std::back_inserter(searched),
                 [](const Variant* family) { return family->searched(); });
  }
  return std::make_unique<VariantSource>(std::move(searched), device, kernels);
}

}  // namespace bitune
