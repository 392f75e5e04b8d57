// The variant `segments_radix`: each segment is put in the order of one digit after the other.

#include <fmt/format.h>

#include <algorithm>

#include "kernels/segments/segments_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/clear_counts.hpp"
#include "runtime/variants/long_segments.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_segments_radix {
namespace {

constexpr Kernel<Address, Address, Address, Address, Address, OperandStride, Address, CallSegments, CallKeys,
                 Address, Address>
    list_kernel{
        .header = "kernels/segments/list_segments.cuh", .name = "list_segments", .allows_next_early = true};

/// A single key is in order.
std::uint64_t least_long(const Configuration&, const Problem&) { return 2; }

class SegmentsRadixVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "segments_radix"; }
  std::string_view description() const noexcept override {
    return "radix sort of segments, each key read and written once a digit, whatever the segments' lengths; "
           "stable";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = long_segments::kernel_headers();
    headers.insert(headers.begin(), {clear_digits_kernel.header, list_kernel.header});
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() == ShapeKind::segments && device.warp_size == 32 &&
           (carries_one_thing(problem) || problem.operation == Operation::sort);
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space;
    space.variant = name();
    long_segments::add_to(space, least_long);
    space.parameters.push_back(
        {"dependent_launch", {0, 1}, "1: each launch begins while the one before it ends (sm_90 on)"});
    space.restrictions.push_back(dependent_launch_fits_device());
    // With fewer a search would wait for it most of the time: half a second of 2^26 keys, 16 each.
    space.restrictions.push_back(
        {"of 2^22 keys and more a segment has 512 on average, unless no other variant can sort so many",
         [](const Configuration&, const Problem& p, const DeviceInfo&) {
           return p.n < std::uint64_t{1} << 22 || p.n > std::uint64_t{1} << 32 || p.n / p.rows >= 512;
         },
         {}});
    return space;
  }
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override {
    Configuration c{std::string(name()), {{"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
    long_segments::set_defaults(c, problem, device, least_long);
    return c;
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

Plan SegmentsRadixVariant::plan(const Problem& problem, const Configuration& c,
                                const DeviceInfo& device) const {
  PlanBuilder builder;
  if (problem.n == 0 || problem.rows == 0) return builder.take();
  const auto counter_words = as_count(layout::list_counter_words());
  const Address counters = builder.workspace(4 * counter_words);
  append_clear_counts(builder, clear_digits_kernel, counters, counter_words, 1);
  const auto list = long_segments::List::make(builder, counters, problem, least_long(c, problem));

  constexpr std::uint32_t threads = 256;
  const bool makes_indices = problem.index_bytes != 0;
  builder.launch(
      list_kernel,
      fmt::format("{}, {}, {}, {}, {}, {}", threads, size_of(problem.key), writes_keys(problem),
                  carried_bytes(problem), makes_indices, long_segments::tile_keys(c)),
      {.blocks = std::min(parts_of(problem.rows, threads), 8 * static_cast<std::uint64_t>(device.sm_count)),
       .threads = threads},
      keys_address(), input_address(), address_of(makes_indices ? Role::indices_out : Role::values_out),
      address_of(makes_indices ? Role::indices_out : Role::values_in), address_of(Role::offsets),
      OperandStride{Role::offsets}, address_of(Role::ends), CallSegments{problem.rows}, CallKeys{problem.n},
      counters, list.listed);
  long_segments::append(builder, list, problem, c, device, true);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_segments_radix

/// The time of a key does not depend on how long its segment is, if that has at least some tiles
/// (kernels/segments/long_pass.cuh).
const Variant& segments_radix_variant() {
  static const of_segments_radix::SegmentsRadixVariant variant;
  return variant;
}

}  // namespace bitune
