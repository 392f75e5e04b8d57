#include "runtime/variants/network_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "bitune/error.hpp"

namespace bitune {
namespace {

/// Columns (of `vector` neighbours) of a pass on index bits [low_bits, low_bits + steps) that have a place
/// below n.
std::uint64_t column_count(std::uint64_t n, int low_bits, int steps, std::uint64_t vector) {
  const std::uint64_t width = std::uint64_t{1} << low_bits;
  const int block_bits = low_bits + steps;
  const std::uint64_t whole = block_bits >= 64 ? 0 : n >> block_bits;
  const std::uint64_t rest = block_bits >= 64 ? n : n & ((std::uint64_t{1} << block_bits) - 1);
  const std::uint64_t columns = whole * width + std::min(rest, width);
  return parts_of(columns, vector);
}

/// The widest vector not above `vector` that divides 2^low_bits: neighbours of a column differ in bits below
/// low_bits.
std::int64_t fitting_vector(std::int64_t vector, int low_bits) {
  return low_bits >= 4 ? vector : std::min(vector, std::int64_t{1} << low_bits);
}

}  // namespace

Plan PlanBuilder::take(bool dependent) {
  for (Launch& launch : plan_.launches) launch.dependent = dependent;
  return std::move(plan_);
}

void PlanBuilder::launch(const KernelSource& kernel, std::uint64_t blocks, std::uint32_t threads,
                         std::uint64_t shared_bytes, std::vector<Argument> arguments) {
  constexpr std::uint64_t most_blocks = (std::uint64_t{1} << 31) - 1;
  if (blocks > most_blocks) {
    throw Error(ErrorCode::usage,
                fmt::format("{} would need {} blocks, and a grid has at most {}: use a larger tile or "
                            "block size",
                            kernel.name_expression, blocks, most_blocks));
  }
  const auto known = std::find(plan_.kernels.begin(), plan_.kernels.end(), kernel);
  Launch launch;
  launch.kernel = static_cast<std::size_t>(known - plan_.kernels.begin());
  if (known == plan_.kernels.end()) plan_.kernels.push_back(kernel);
  launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
  launch.block = {threads, 1, 1};
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  launch.arguments = std::move(arguments);
  plan_.launches.push_back(std::move(launch));
}

Argument PlanBuilder::workspace(std::uint64_t bytes) {
  const std::uint64_t begin = (plan_.workspace_bytes + 255) / 256 * 256;
  plan_.workspace_bytes = begin + bytes;
  return Argument::pointer_to(Role::workspace, begin);
}

void PlanBuilder::launch_rows(const KernelSource& kernel, std::uint64_t blocks_per_row, std::uint32_t threads,
                              std::uint64_t shared_bytes, std::vector<Argument> arguments) {
  // The product saturates: what exceeds a grid is refused by launch().
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t blocks =
      rows_ > most / std::max<std::uint64_t>(blocks_per_row, 1) ? most : rows_ * blocks_per_row;
  arguments.push_back(row_stride_argument());
  arguments.push_back(u32_argument(blocks_per_row));
  launch(kernel, blocks, threads, shared_bytes, std::move(arguments));
}

Argument keys_argument() { return Argument::pointer_to(Role::keys_out); }
Argument input_argument() { return Argument::pointer_to(Role::keys_in); }
Argument row_stride_argument() { return Argument::stride_of(Role::keys_out); }
Argument u32_argument(std::uint64_t value) { return {Argument::Kind::u32, Role::keys_out, value}; }
Argument u64_argument(std::uint64_t value) { return Argument::number64(value); }

int ceil_log2(std::uint64_t n) noexcept { return n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

void append_element_step(PlanBuilder& builder, const std::string& codec, std::int64_t threads,
                         std::uint64_t n, std::uint64_t partner_mask) {
  const auto per_block = static_cast<std::uint64_t>(threads);
  builder.launch_rows(
      {"kernels/steps/element_step.cuh", fmt::format("bitune::element_step<{}, {}>", codec, threads)},
      parts_of(n, per_block), static_cast<std::uint32_t>(threads), 0,
      {keys_argument(), u64_argument(n), u64_argument(partner_mask)});
}

void append_strided_passes(PlanBuilder& builder, const StridedPass& pass, std::uint64_t n, int stage,
                           int low_bits, bool flip) {
  int high = stage;
  while (high > low_bits) {
    const int remaining = high - low_bits;
    const int passes = static_cast<int>((remaining + pass.steps_per_pass - 1) / pass.steps_per_pass);
    const int steps = (remaining + passes - 1) / passes;
    const int low = high - steps;
    const bool flip_here = flip && high == stage;
    const std::int64_t vector = fitting_vector(pass.vector_width, low);
    const std::uint64_t columns = column_count(n, low, steps, static_cast<std::uint64_t>(vector));
    const std::uint64_t columns_per_block = static_cast<std::uint64_t>(pass.threads * pass.unroll);
    std::uint64_t blocks = parts_of(columns, columns_per_block);
    if (pass.max_blocks != 0) blocks = std::min(blocks, pass.max_blocks);
    const KernelSource kernel{
        "kernels/steps/strided_merge.cuh",
        fmt::format("bitune::strided_merge<{}, {}, {}, {}, {}, {}, {}>", pass.codec, pass.threads, steps,
                    vector, pass.unroll, flip_here, pass.imad_quarters)};
    builder.launch_rows(kernel, blocks, static_cast<std::uint32_t>(pass.threads), 0,
                        {keys_argument(), u64_argument(n), u32_argument(static_cast<std::uint64_t>(low)),
                         u64_argument(columns)});
    high = low;
  }
}

}  // namespace bitune
