#include "runtime/variants/first_keys_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/merge/merge_layout.hpp"
#include "runtime/variants/carried.hpp"

namespace bitune {
namespace {

constexpr Kernel<Address, U64, Address, U64, U32, U32, U32, U32> merge_kernel{FirstKeysMerge::header,
                                                                              "merge_first_keys"};
constexpr Kernel<Address, U64, U32, U32, Address, OperandStride, Address, OperandStride, Address,
                 OperandStride, Address, OperandStride, Address, OperandStride, Address, OperandStride, U32,
                 U32, U32>
    last_kernel{FirstKeysMerge::header, "write_first_keys"};

}  // namespace

std::int64_t FirstKeysMerge::shared_bytes(std::int64_t item_bytes) const {
  return layout::merge_tile_bytes(threads * items, item_bytes);
}

std::uint64_t FirstKeysMerge::kept_of(std::uint64_t run, const Problem& problem) const {
  const std::uint64_t tile = as_count(threads * items);
  return std::min(run, parts_of(problem.k, tile) * tile);
}

FirstKeysRuns FirstKeysMerge::merged(const FirstKeysRuns& runs, const Problem& problem) const {
  const std::uint64_t kept = kept_of(2 * runs.items, problem);
  const std::uint64_t last = runs.count % 2 == 0 ? runs.items + runs.last : runs.last;
  return {.count = parts_of(runs.count, 2), .items = kept, .last = std::min(kept, last)};
}

void FirstKeysMerge::add_to(PlanBuilder& builder, const Problem& problem, std::string_view form,
                            Address sorted, FirstKeysRuns runs) const {
  const std::int64_t item_bytes = merged_item_bytes(problem.key);
  const std::uint64_t tile = as_count(threads * items);
  Address others = sorted;
  if (runs.count > 2) {
    others = builder.workspace(problem.rows * merged(runs, problem).row() * as_count(item_bytes));
  }
  const auto shape = [&](std::uint64_t tiles_per_row) {
    return LaunchShape{.blocks = problem.rows * tiles_per_row,
                       .threads = static_cast<std::uint32_t>(threads),
                       .shared_bytes = as_count(shared_bytes(item_bytes))};
  };
  std::uint64_t pitch = runs.count * runs.items;
  while (runs.count > 2) {
    const FirstKeysRuns next = merged(runs, problem);
    const std::uint64_t tiles = next.count * (next.items / tile);
    const std::uint64_t next_pitch = next.row();
    builder.launch(merge_kernel, fmt::format("{}, {}, {}", form, threads, items), shape(tiles), others,
                   next_pitch, sorted, pitch, runs.row(), runs.items, next.items, tiles);
    std::swap(sorted, others);
    runs = next;
    pitch = next_pitch;
  }
  // The last launch merges even where there is one run, as it writes what is asked for.
  const std::uint64_t tiles = parts_of(problem.k, tile);
  builder.launch(
      last_kernel,
      fmt::format("{}, {}, {}, {}, {}", form, problem.value_bytes, problem.index_bytes, threads, items),
      shape(tiles), sorted, pitch, runs.row(), runs.items, address_of(Role::keys_out),
      OperandStride{Role::keys_out}, address_of(Role::keys_in), OperandStride{Role::keys_in},
      address_of(Role::values_out), OperandStride{Role::values_out}, address_of(Role::values_in),
      OperandStride{Role::values_in}, address_of(Role::indices_out), OperandStride{Role::indices_out},
      address_of(Role::lengths), OperandStride{Role::lengths}, problem.n, problem.k, tiles);
}

}  // namespace bitune
