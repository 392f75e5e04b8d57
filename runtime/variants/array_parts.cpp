// The variant `array_parts`: the first k keys of an array of more than 2^31 keys.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/untuned_policy.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace of_array_parts {
namespace {

constexpr std::string_view header = "kernels/topk/array_parts.cuh";
constexpr Kernel<Address, Address, OperandStride, U64, U64, U64, U64> count_kernel{header, "count_parts"};
constexpr Kernel<Address, Address, Address, Address, Address, U64, U64> carry_kernel{header,
                                                                                     "carry_from_parts"};

/// Most keys of what others choose from: places have 32 bits.
constexpr std::uint64_t longest_part = std::uint64_t{1} << 31;

/// Equal parts, but for the last one; vectors begin alike in all.
struct Parts {
  std::uint64_t count;
  std::uint64_t keys;
};

Parts parts_of_array(const Configuration& c, const Problem& problem) {
  const std::uint64_t count = parts_of(problem.n, std::uint64_t{1} << c.at("part_bits"));
  return {count, parts_of(parts_of(problem.n, count), 64) * 64};
}

/// The first k of n keys, with or without their places.
Problem first_of(const Problem& problem, std::uint64_t n) {
  Problem part = problem;
  part.n = n;
  part.value_bytes = 0;
  part.index_bytes = carried_bytes(problem) != 0 ? 4 : 0;
  return part;
}

/// What may give the first keys of a part.
const std::vector<const Variant*>& part_variants() {
  static const std::vector<const Variant*> all = {
      &rows_topk_variant(), &cluster_topk_variant(), &merge_topk_variant(),   &select_rows_variant(),
      &bin_rows_variant(),  &filter_array_variant(), &select_array_variant(), &select_cluster_variant()};
  return all;
}

/// What sorts it untuned.
Plan untuned_plan(const Problem& problem, const DeviceInfo& device) {
  const Variant* family = untuned_order(problem, device, part_variants()).front();
  return family->plan(problem, family->default_configuration(problem, device), device);
}

class ArrayPartsVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "array_parts"; }
  std::string_view description() const noexcept override {
    return "the first keys of an array of more than 2^31: of each part of it, as what sorts untuned gives "
           "them, and of these";
  }
  std::vector<std::string_view> kernel_headers() const override {
    std::vector<std::string_view> headers = {header};
    for (const Variant* of_part : part_variants()) {
      for (const std::string_view other : of_part->kernel_headers()) {
        if (std::find(headers.begin(), headers.end(), other) == headers.end()) headers.push_back(other);
      }
    }
    return headers;
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return is_top_k(problem) && problem.rows == 1 && problem.n > longest_part &&
           default_is_valid(problem, device);
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override;
  Configuration default_configuration(const Problem&, const DeviceInfo& device) const override {
    return {std::string(name()),
            {{"part_bits", 31}, {"dependent_launch", device.compute_major >= 9 ? 1 : 0}}};
  }
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

SearchSpace ArrayPartsVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space;
  space.variant = name();
  space.parameters = {
      {"part_bits", {12, 29, 30, 31}, "bits of a place in a part"},
      {"dependent_launch", {0, 1}, "whether each launch may begin while the one before it ends"},
  };
  space.restrictions = {
      {"there are at most 1024 parts, each of which has k keys; of all k first ones there are at most 2^31",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         const Parts parts = parts_of_array(c, p);
         return parts.count <= 1024 && p.k <= parts.keys && parts.count * p.k <= longest_part;
       },
       {"part_bits"}},
      dependent_launch_fits_device(),
  };
  return space;
}

Plan ArrayPartsVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const {
  PlanBuilder builder;
  const Parts parts = parts_of_array(c, problem);
  const bool carries = carried_bytes(problem) != 0;
  const std::uint64_t key_bytes = size_of(problem.key);
  const Address keys = builder.workspace(parts.count * problem.k * key_bytes);
  const Address places = builder.workspace(carries ? parts.count * problem.k * 4 : 0);
  const Address firsts = builder.workspace(carries ? problem.k * 4 : 0);
  const Address lengths = builder.workspace((parts.count + 1) * 8);
  const auto behind = [](Address address, std::uint64_t bytes) {
    return Address{Argument::pointer_to(address.argument.role, address.argument.value + bytes)};
  };

  constexpr std::uint32_t threads = 256;
  builder.launch(count_kernel, std::to_string(threads), {.threads = threads}, lengths,
                 address_of(Role::lengths), OperandStride{Role::lengths}, problem.n, parts.keys, parts.count,
                 problem.k);
  const Plan of_part = untuned_plan(first_of(problem, parts.keys), device);
  for (std::uint64_t i = 0; i < parts.count; ++i) {
    builder.append(of_part, {{Role::keys_in, behind(address_of(Role::keys_in), i * parts.keys * key_bytes)},
                             {Role::keys_out, behind(keys, i * problem.k * key_bytes)},
                             {Role::indices_out, behind(places, i * problem.k * 4)},
                             {Role::lengths, behind(lengths, i * 8)}});
  }
  builder.append(untuned_plan(first_of(problem, parts.count * problem.k), device),
                 {{Role::keys_in, keys},
                  {Role::indices_out, firsts},
                  {Role::lengths, behind(lengths, parts.count * 8)}});
  if (carries) {
    builder.launch(
        carry_kernel, fmt::format("{}, {}, {}", problem.value_bytes, problem.index_bytes, threads),
        {.blocks = std::min<std::uint64_t>(parts_of(problem.k, threads), as_count(8 * device.sm_count)),
         .threads = threads},
        address_of(Role::values_out), address_of(Role::values_in), address_of(Role::indices_out), firsts,
        places, parts.keys, problem.k);
  }
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_array_parts

/// The first k of each part, with their places in it, and the first k of these. What is first among equal
/// keys stays so: parts follow each other as the keys do (kernels/topk/array_parts.cuh).
const Variant& array_parts_variant() {
  static const of_array_parts::ArrayPartsVariant variant;
  return variant;
}

}  // namespace bitune
