// The variant `rows_as_segments`: long rows, sorted as segments that happen to have one length.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/segments_sizes.hpp"

namespace bitune {
namespace of_rows_as_segments {
namespace {

constexpr Kernel<Address, Address, U64, U64, U32> describe_kernel{"kernels/segments/row_segments.cuh",
                                                                  "row_segments"};

/// Shorter rows are read and written once, by a block each.
constexpr std::uint64_t least_row = 8192;

/// The rows, one behind the other. Indices are values: so rows that no block holds go to buckets.
Problem segments_of(const Problem& rows) {
  Problem segments = rows;
  segments.ragged = true;
  segments.n = rows.n * rows.rows;
  if (rows.index_bytes != 0) {
    segments.operation = Operation::sort_pairs;
    segments.value_bytes = rows.index_bytes;
    segments.index_bytes = 0;
  }
  return segments;
}

/// The same as of the variant that sorts them.
Configuration named(Configuration c, std::string_view variant) {
  c.variant = variant;
  return c;
}

/// The plan for segments, of which a call tells nothing: all is known of rows.
Plan bound(Plan plan) {
  for (Launch& launch : plan.launches) {
    launch.segments_per_block = 0;
    for (Argument& argument : launch.arguments) {
      switch (argument.kind) {
        case Argument::Kind::stride:
          if (argument.role == Role::offsets) argument = Argument::number64(sizeof(std::uint64_t));
          break;
        case Argument::Kind::keys:
        case Argument::Kind::segments:
          argument = Argument::number64(argument.value);
          break;
        case Argument::Kind::equal_length:
          argument = Argument::number32(static_cast<std::uint32_t>(argument.value));
          break;
        case Argument::Kind::pointer:
        case Argument::Kind::u32:
        case Argument::Kind::u64:
          break;
      }
    }
  }
  return plan;
}

class RowsAsSegmentsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "rows_as_segments"; }
  std::string_view description() const noexcept override {
    return "long rows by the variant segments: brought to buckets by their highest digits, and sorted there; "
           "stable";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = segments_variant().kernel_headers();
    headers.insert(headers.begin(), describe_kernel.header);
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::rows && problem.n >= least_row &&
           problem.operation != Operation::top_k && problem.rows <= of_segments::most_keys / problem.n &&
           segments_variant().supports(segments_of(problem), device) && default_is_valid(problem, device);
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space = of_segments::make_space();
    space.variant = name();
    for (Restriction& restriction : space.restrictions) {
      restriction.holds = [holds = restriction.holds](const Configuration& c, const Problem& p,
                                                      const DeviceInfo& d) {
        return holds(c, segments_of(p), d);
      };
    }
    return space;
  }
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override {
    return named(segments_variant().default_configuration(segments_of(problem), device), name());
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Plan RowsAsSegmentsVariant::plan(const Problem& problem, const Configuration& c,
                                 const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const Problem segments = segments_of(problem);
  const bool makes_indices = problem.index_bytes != 0;
  const Address offsets = builder.workspace((problem.rows + 1) * sizeof(std::uint64_t));
  const Address indices =
      makes_indices ? builder.workspace(segments.n * problem.index_bytes) : address_of(Role::values_in);
  const Address keys =
      writes_keys(problem) ? keys_address() : builder.workspace(segments.n * size_of(problem.key));

  constexpr std::uint32_t threads = 256;
  constexpr std::uint64_t keys_of_block = 16 * threads;
  const std::uint64_t row_blocks = makes_indices ? parts_of(problem.n, keys_of_block) : 1;
  builder.launch(
      describe_kernel,
      fmt::format("bitune::{}, {}, {}", problem.index_bytes == 8 ? "u64" : "u32", makes_indices, threads),
      {.blocks = problem.rows * row_blocks, .threads = threads}, offsets, indices, problem.rows, problem.n,
      row_blocks);
  builder.append(bound(segments_variant().plan(segments, named(c, segments_variant().name()), device)),
                 {{Role::offsets, offsets},
                  {Role::keys_out, keys},
                  {Role::values_in, indices},
                  {Role::values_out, address_of(makes_indices ? Role::indices_out : Role::values_out)}});
  builder.pack(Role::keys_in, problem, size_of(problem.key));
  if (writes_keys(problem)) builder.pack(Role::keys_out, problem, size_of(problem.key));
  if (makes_indices) {
    builder.pack(Role::indices_out, problem, problem.index_bytes);
  } else if (problem.value_bytes != 0) {
    builder.pack(Role::values_in, problem, problem.value_bytes);
    builder.pack(Role::values_out, problem, problem.value_bytes);
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_rows_as_segments

/// For rows so long that the steps between blocks, or passes over all digits, cost more than a pass that
/// brings keys to their buckets (kernels/segments/).
const Variant& rows_as_segments_variant() {
  static const of_rows_as_segments::RowsAsSegmentsVariant variant;
  return variant;
}

}  // namespace bitune
