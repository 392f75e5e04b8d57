#include "runtime/variant.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"
#include "runtime/variants/classic.hpp"
#include "runtime/variants/cluster.hpp"
#include "runtime/variants/global.hpp"
#include "runtime/variants/rows.hpp"
#include "runtime/variants/shared.hpp"
#include "runtime/variants/warp.hpp"

namespace bitune {

std::span<const Variant* const> variants() {
  static const ClassicVariant classic;
  static const GlobalVariant global;
  static const SharedVariant shared;
  static const WarpVariant warp;
  static const ClusterVariant cluster;
  static const RowsVariant rows;
  static const std::array<const Variant*, 6> all = {&classic, &global, &shared, &warp, &cluster, &rows};
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

}  // namespace bitune
