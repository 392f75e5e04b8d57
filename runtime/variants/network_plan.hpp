#pragma once

/// \file
/// The part of a plan that all variants share: stages above the tile, split into passes over global memory.

#include <cstdint>
#include <string>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"

namespace bitune {

/// Builds a plan: adds each kernel once, and launches in order. Pure arithmetic, no device.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::uint64_t rows = 1) : rows_(rows) {}

  /// Adds a launch of the kernel, `blocks` blocks. \throws Error (usage) if that exceeds 2^31 - 1.
  void launch(const KernelSource& kernel, std::uint64_t blocks, std::uint32_t threads,
              std::uint64_t shared_bytes, std::vector<Argument> arguments);

  /// Adds a launch with `blocks_per_row` blocks for each row, and the kernel's last two arguments, which say
  /// so: the distance of rows and the blocks a row.
  void launch_rows(const KernelSource& kernel, std::uint64_t blocks_per_row, std::uint32_t threads,
                   std::uint64_t shared_bytes, std::vector<Argument> arguments);

  /// So many bytes more of workspace, aligned to 256 as device memory is, behind what was asked for before.
  [[nodiscard]] Argument workspace(std::uint64_t bytes);

  /// The plan; `dependent`: each launch may begin while the one before it ends.
  [[nodiscard]] Plan take(bool dependent = false);

 private:
  std::uint64_t rows_;
  Plan plan_;
};

[[nodiscard]] Argument keys_argument();
[[nodiscard]] Argument input_argument();
[[nodiscard]] Argument row_stride_argument();
[[nodiscard]] Argument u32_argument(std::uint64_t value);
[[nodiscard]] Argument u64_argument(std::uint64_t value);

/// How many parts of `size`, of which the last one may be shorter, n has.
[[nodiscard]] constexpr std::uint64_t parts_of(std::uint64_t n, std::uint64_t size) noexcept {
  return (n + size - 1) / size;
}

/// Smallest k with 2^k >= n; 0 for n < 2.
[[nodiscard]] int ceil_log2(std::uint64_t n) noexcept;

/// Appends one step of the naive form, a thread an element: the partner of i is i ^ partner_mask. `codec`:
/// codec_arguments.
void append_element_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads,
                         std::uint64_t n, std::uint64_t partner_mask);

/// How steps on the index bits above a tile are done: by strided_merge with these template arguments.
struct StridedPass {
  std::string codec;  ///< codec_arguments
  std::int64_t threads = 256;
  std::int64_t steps_per_pass = 1;
  std::int64_t vector_width = 1;
  std::int64_t unroll = 1;
  std::int64_t imad_quarters = 0;
  std::uint64_t max_blocks =
      0;  ///< the grid strides if there are more columns; 0: as many blocks as columns need
};

/// Appends the steps of stage `stage` on the index bits stage-1 .. low_bits, in as few passes as
/// steps_per_pass allows, of even sizes; the first one does the flip if `flip`. Precondition: stage >
/// low_bits.
void append_strided_passes(PlanBuilder& builder, const StridedPass& pass, std::uint64_t n, int stage,
                           int low_bits, bool flip);

}  // namespace bitune
