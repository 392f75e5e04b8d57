#include "runtime/variant.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {

std::span<const Variant* const> variants() {
  static const std::array<const Variant*, 42> all = {&classic_variant(),
                                                     &global_variant(),
                                                     &shared_variant(),
                                                     &warp_variant(),
                                                     &multiway_variant(),
                                                     &samplesort_variant(),
                                                     &radix_variant(),
                                                     &radix_pairs_variant(),
                                                     &cluster_variant(),
                                                     &packed_clusters_variant(),
                                                     &rows_variant(),
                                                     &packed_rows_variant(),
                                                     &merge_by_place_variant(),
                                                     &cluster_by_place_variant(),
                                                     &rows_by_place_variant(),
                                                     &counting_variant(),
                                                     &merge_topk_variant(),
                                                     &cluster_topk_variant(),
                                                     &rows_topk_variant(),
                                                     &filter_array_variant(),
                                                     &bucket_rows_variant(),
                                                     &select_cluster_variant(),
                                                     &bin_cluster_variant(),
                                                     &select_array_variant(),
                                                     &select_rows_variant(),
                                                     &lane_lists_variant(),
                                                     &array_parts_variant(),
                                                     &copied_rows_variant(),
                                                     &segments_variant(),
                                                     &segments_radix_variant(),
                                                     &rows_as_segments_variant(),
                                                     &segments_topk_variant(),
                                                     &filter_segments_variant(),
                                                     &direct_segments_variant(),
                                                     &multiway_by_place_variant(),
                                                     &bin_rows_variant(),
                                                     &minima_rows_variant(),
                                                     &persistent_rows_variant(),
                                                     &digit_rows_variant(),
                                                     &leading_digits_variant(),
                                                     &rows_by_digits_variant(),
                                                     &cluster_by_digits_variant()};
  return all;
}

const Variant& variant(std::string_view name) {
  std::string known;
  for (const Variant* candidate : variants()) {
    if (candidate->name() == name) return *candidate;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", candidate->name());
  }
  throw Error(ErrorCode::usage, fmt::format("there is no variant '{}': the variants are {}", name, known));
}

std::optional<std::string> refusal(const Configuration& configuration, const Problem& problem,
                                   const DeviceInfo& device) {
  const Variant& family = variant(configuration.variant);
  if (!family.supports(problem, device)) {
    return fmt::format("variant '{}' does not do this problem", family.name());
  }
  return family.space(problem, device).violation(configuration, problem, device);
}

}  // namespace bitune
