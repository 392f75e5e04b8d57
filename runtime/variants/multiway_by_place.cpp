// The variant `multiway_by_place`: `multiway` over words of a key and its place, for values and indices.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/multiway/multiway_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/multiway_parts.hpp"
#include "runtime/variants/multiway_sizes.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/registered.hpp"

namespace bitune {
namespace of_multiway_by_place {
namespace {

constexpr CarriedKernel<Address, Address, Address, Address, U32, U32, U32> sort_kernel{
    "kernels/multiway/place_multiway_sort.cuh", "place_multiway_sort"};

/// What `multiway` would sort: the words.
Problem words_of(const Problem& problem) {
  return {{.key = KeyType::u64}, {.n = problem.n, .rows = problem.rows}};
}

/// Whether a value may take the place's bits.
bool may_hold_values(const Problem& problem) {
  return problem.value_bytes != 0 && problem.value_bytes <= 4 && !problem.stable;
}

class MultiwayByPlaceVariant final : public Variant {
 public:
  std::string_view name() const noexcept override { return "multiway_by_place"; }
  std::string_view description() const noexcept override {
    return "as multiway, each key of at most 32 bits with its place; values or indices; stable";
  }
  std::vector<std::string_view> kernel_headers() const override {
    return {sort_kernel.header, of_multiway::split_header};
  }
  bool supports(const Problem& problem, const DeviceInfo& device) const override {
    return problem.kind() != ShapeKind::segments && carries_one_thing(problem) && size_of(problem.key) <= 4 &&
           device.warp_size == 32 && problem.n <= of_multiway::most_keys(KeyType::u64, device);
  }
  SearchSpace space(const Problem& problem, const DeviceInfo& device) const override;
  Configuration default_configuration(const Problem& problem, const DeviceInfo& device) const override;
  Plan plan(const Problem& problem, const Configuration& c, const DeviceInfo& device) const override;
};

/// The space of `multiway` for words, of which a thread stores one at a time.
SearchSpace MultiwayByPlaceVariant::space(const Problem&, const DeviceInfo&) const {
  SearchSpace space = of_multiway::make_space();
  space.variant = name();
  std::erase_if(space.parameters, [](const Parameter& one) { return one.name == "vector_width"; });
  std::erase_if(space.restrictions, [](const Restriction& one) {
    return std::find(one.reads.begin(), one.reads.end(), "vector_width") != one.reads.end();
  });
  for (Restriction& one : space.restrictions) {
    one.holds = [of_words = std::move(one.holds)](const Configuration& c, const Problem& p,
                                                  const DeviceInfo& d) {
      return of_words(c, words_of(p), d);
    };
  }
  space.parameters.push_back(compared_as_double());
  space.parameters.push_back({"values_in_word", {0, 1}, "1: a value takes the place's bits; not stable"});
  space.restrictions.push_back(placed_words_may_be_doubles());
  space.restrictions.push_back(places_fit_doubles());
  space.restrictions.push_back(
      {"values_in_word is 1 only for values of at most 4 bytes whose sort need not be stable, and words that "
       "are compared as integers",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("values_in_word") == 0 || (may_hold_values(p) && c.at("compare_as_double") == 0);
       },
       {"values_in_word", "compare_as_double"}});
  return space;
}

Configuration MultiwayByPlaceVariant::default_configuration(const Problem& problem,
                                                            const DeviceInfo& device) const {
  Configuration c = of_multiway::default_of(std::string(name()), words_of(problem), device);
  c.parameters.erase("vector_width");
  const bool in_word = may_hold_values(problem);
  c.parameters["values_in_word"] = in_word ? 1 : 0;
  c.parameters["compare_as_double"] = in_word ? 0 : prefers_doubles(problem, device);
  return c;
}

Plan MultiwayByPlaceVariant::plan(const Problem& problem, const Configuration& c, const DeviceInfo&) const {
  PlanBuilder builder(problem.rows);
  if (problem.n < 2 || problem.rows == 0) return builder.take();
  const Problem words = words_of(problem);
  const std::uint64_t tiles = of_multiway::tile_count(c, words);
  const std::uint64_t keys = problem.n * problem.rows;
  const bool in_word = c.at("values_in_word") != 0;
  const bool in_buckets = of_multiway::splits_in_buckets(c);
  const Address runs =
      builder.workspace(problem.rows * tiles * as_count(of_multiway::tile_size(c)) * sizeof(std::uint64_t));
  // What is not there is not read.
  const Address splits =
      in_buckets ? runs : builder.workspace(problem.rows * layout::split_places(tiles) * 4);
  const Address kept_values =
      problem.value_bytes != 0 && !in_word ? builder.workspace(keys * problem.value_bytes) : runs;
  const bool keeps_nans = writes_keys(problem) && !in_word && is_floating_point(problem.key);
  const Address kept_nans = keeps_nans ? builder.workspace(keys * size_of(problem.key)) : runs;

  const std::string_view form = c.at("compare_as_double") != 0 ? "as_double" : "word64";
  const std::string arguments = fmt::format(
      "{}, bitune::PlacedForm::{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}",
      codec_arguments(problem.key, problem.order), form, problem.value_bytes, problem.index_bytes,
      writes_keys(problem), in_word, c.at("block_size_x"), c.at("items_per_thread"), c.at("shuffle_steps"),
      c.at("imad_quarters"), c.at("min_blocks_per_sm"), c.at("dependent_launch") == 2, c.at("gather_lanes"),
      in_buckets ? c.at("split_pivots") : 0, c.at("split_window"));
  const auto append_pass = [&](unsigned pass) {
    const std::int64_t bytes =
        pass == 0 ? of_multiway::run_bytes(c, words) : of_multiway::bucket_bytes(c, words);
    launch_carrying(builder, sort_kernel, arguments,
                    {.blocks = problem.rows * tiles,
                     .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                     .shared_bytes = as_count(bytes)},
                    runs, kept_values, kept_nans, splits, problem.n, pass, tiles);
  };
  append_pass(0);
  of_multiway::append_splitting(builder, words, c, runs, splits);
  append_pass(1);
  Plan plan = builder.take(c.at("dependent_launch") != 0);
  plan.out_of_place = true;
  return plan;
}

}  // namespace
}  // namespace of_multiway_by_place

/// Two passes over memory, whatever the length, where merging takes one for each doubling
/// (kernels/multiway/place_multiway_sort.cuh).
const Variant& multiway_by_place_variant() {
  static const of_multiway_by_place::MultiwayByPlaceVariant variant;
  return variant;
}

}  // namespace bitune
