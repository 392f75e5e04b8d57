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

/// Random keys of a row, from which the bound is taken, at most.
[[nodiscard]] std::int64_t sample_count(const Configuration& c);

/// How the candidates are put in order: sorted, or by bins (kernels/topk/binned_candidates.cuh).
enum class Finish : std::uint8_t { sorted, binned };

/// Such a variant: its space, and its default.
class FilteringVariant : public Variant {
 public:
  explicit FilteringVariant(Finish finish) noexcept : finish_(finish) {}
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const final;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const final;

 protected:
  /// Whether rows or segments of the problem are not too long for it, nor k too large.
  [[nodiscard]] bool can_filter(const Problem& problem, const DeviceInfo& device) const;

 private:
  Finish finish_;
};

/// The template arguments of the kernel, and the launch for so many rows.
[[nodiscard]] std::string arguments(const Problem& problem, const Configuration& c);
[[nodiscard]] LaunchShape launch_shape(const Problem& problem, const Configuration& c, Finish finish);

}  // namespace bitune::row_filter
