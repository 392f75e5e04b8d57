#pragma once

/// \file
/// What the variants share that stream a row or a segment past a bound from a random sample, by a block or a
/// cluster each (kernels/topk/row_filter.cuh).

#include <cstdint>
#include <string>

#include "model/configuration.hpp"
#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune::row_filter {

/// Of larger k the candidates fit no block.
inline constexpr std::uint64_t largest_k = 8192;

/// Places have 32 bits, and some of them say what is none.
inline constexpr std::uint64_t longest_row = std::uint64_t{1} << 31;

/// How long a row is for which the room suffices but once in a million times: all keys of a row, but of
/// segments less than all of them. What is longer takes more time.
[[nodiscard]] std::uint64_t longest_of(const Problem& problem) noexcept;

/// Where the bound comes from, and how the candidates are put in order (kernels/topk/binned_candidates.cuh):
/// samples and candidates are sorted; or candidates go to bins; and samples are not sorted, either, but the
/// minima of groups of them.
enum class Method : std::uint8_t { sorts, bins, minima_and_bins };

/// Random keys of a row, from which the bound is taken, at most.
[[nodiscard]] std::int64_t sample_count(const Configuration& c, Method method);

/// Such a variant: its space, and its default.
class FilteringVariant : public Variant {
 public:
  explicit FilteringVariant(Method method) noexcept : method_(method) {}
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const final;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const final;

 protected:
  /// Whether rows or segments of the problem are not too long for it, nor k too large.
  [[nodiscard]] bool can_filter(const Problem& problem, const DeviceInfo& device) const;
  [[nodiscard]] Method method() const noexcept { return method_; }

 private:
  Method method_;
};

/// The template arguments of the kernel, and the launch for so many rows.
[[nodiscard]] std::string arguments(const Problem& problem, const Configuration& c, Method method);
[[nodiscard]] LaunchShape launch_shape(const Problem& problem, const Configuration& c, Method method);

}  // namespace bitune::row_filter
