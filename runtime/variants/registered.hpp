#pragma once

/// \file
/// The variants that there are, each one object that lives as long as the process. Each is in a file here.

#include "runtime/variant.hpp"

namespace bitune {

[[nodiscard]] const Variant& classic_variant();
[[nodiscard]] const Variant& global_variant();
[[nodiscard]] const Variant& shared_variant();
[[nodiscard]] const Variant& warp_variant();
[[nodiscard]] const Variant& cluster_variant();
[[nodiscard]] const Variant& packed_clusters_variant();
[[nodiscard]] const Variant& multiway_variant();
[[nodiscard]] const Variant& multiway_by_place_variant();
[[nodiscard]] const Variant& samplesort_variant();
[[nodiscard]] const Variant& radix_variant();
[[nodiscard]] const Variant& radix_pairs_variant();
[[nodiscard]] const Variant& leading_digits_variant();
[[nodiscard]] const Variant& counting_variant();
[[nodiscard]] const Variant& rows_variant();
[[nodiscard]] const Variant& packed_rows_variant();
[[nodiscard]] const Variant& rows_by_place_variant();
[[nodiscard]] const Variant& rows_by_digits_variant();
[[nodiscard]] const Variant& merge_by_place_variant();
[[nodiscard]] const Variant& cluster_by_place_variant();
[[nodiscard]] const Variant& cluster_by_digits_variant();
[[nodiscard]] const Variant& merge_topk_variant();
[[nodiscard]] const Variant& cluster_topk_variant();
[[nodiscard]] const Variant& rows_topk_variant();
[[nodiscard]] const Variant& filter_array_variant();
[[nodiscard]] const Variant& bucket_rows_variant();
[[nodiscard]] const Variant& copied_rows_variant();
[[nodiscard]] const Variant& array_parts_variant();
[[nodiscard]] const Variant& bin_rows_variant();
[[nodiscard]] const Variant& minima_rows_variant();
[[nodiscard]] const Variant& persistent_rows_variant();
[[nodiscard]] const Variant& digit_rows_variant();
[[nodiscard]] const Variant& select_array_variant();
[[nodiscard]] const Variant& select_cluster_variant();
[[nodiscard]] const Variant& bin_cluster_variant();
[[nodiscard]] const Variant& select_rows_variant();
[[nodiscard]] const Variant& lane_lists_variant();
[[nodiscard]] const Variant& segments_variant();
[[nodiscard]] const Variant& direct_segments_variant();
[[nodiscard]] const Variant& segments_radix_variant();
[[nodiscard]] const Variant& rows_as_segments_variant();
[[nodiscard]] const Variant& segments_topk_variant();
[[nodiscard]] const Variant& filter_segments_variant();

}  // namespace bitune
