#pragma once

/// \file
/// The selection ladder over any set of variants: what `select` does with those of the registry.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"

namespace bitune {

/// As `select`, for these variants. `current_kernels` gives the digest of today's kernels: on each rung
/// their trials go before others, and only they give an expected time. What is left out is not selected,
/// whoever tuned it. A pure function.
[[nodiscard]] Selection select_among(const Problem& problem, const DeviceInfo& device,
                                     const CandidateSet& candidates, std::span<const Variant* const> variants,
                                     const KernelDigests& current_kernels,
                                     std::span<const Configuration> left_out = {});

/// All candidates that say something about the problem, in the order in which `select_among` asks whether
/// they are valid. On the last step are those of devices of which none is selected: of another major compute
/// capability, or of a higher minor one. A pure function.
[[nodiscard]] std::vector<const Candidate*> ladder_of(const Problem& problem, const DeviceInfo& device,
                                                      const CandidateSet& candidates,
                                                      const KernelDigests& current_kernels);

/// As `default_selection`, for these variants, in the order of `untuned_order`.
/// \throws Error (unavailable) if none can.
[[nodiscard]] Selection default_among(const Problem& problem, const DeviceInfo& device,
                                      std::span<const Variant* const> variants,
                                      std::span<const Configuration> left_out = {});

}  // namespace bitune
