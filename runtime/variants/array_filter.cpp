#include "runtime/variants/array_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/topk/topk_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/carried.hpp"
#include "runtime/variants/first_keys.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace {

constexpr Kernel<Address, U32, Address, Address, Address, Address, OperandStride, U32> filter_kernel{
    ArrayFilter::header, "filter_array"};

/// Candidates that a block puts together before it writes them.
constexpr std::int64_t staged = 1024;

/// Keys of a vector of 16 bytes.
std::int64_t vector_keys(const Problem& problem) {
  return 16 / static_cast<std::int64_t>(size_of(problem.key));
}

std::int64_t filter_bytes(const Configuration&, const Problem& problem) {
  return layout::staged_bytes(staged, merged_item_bytes(problem.key));
}

}  // namespace

bool ArrayFilter::can_filter(const Problem& problem, const DeviceInfo& device) {
  return is_top_k(problem) && problem.rows == 1 && problem.n <= longest_array && device.warp_size == 32;
}

ArrayFilter::Between ArrayFilter::between(PlanBuilder& builder, const Problem& problem, std::uint64_t room) {
  const std::uint64_t item_bytes = as_count(merged_item_bytes(problem.key));
  const Address bound = builder.workspace(item_bytes);
  const Address count = builder.workspace(4);
  return {.items = builder.workspace(room * item_bytes), .room = room, .count = count, .bound = bound};
}

void ArrayFilter::add_to(SearchSpace& space) {
  const std::vector<Parameter> parameters = {
      {"block_size_x", {128, 256, 512, 1024}, "threads of a block that filters"},
      {"vectors_per_thread", {1, 2, 4, 8}, "vectors of 16 bytes that a thread has under way"},
      {"min_blocks_per_sm", {1, 2, 3, 4, 8}, "blocks a multiprocessor that filter"},
  };
  space.parameters.insert(space.parameters.end(), parameters.begin(), parameters.end());
  const std::vector<Restriction> restrictions = {
      block_fits_device(),
      {"a thread has at most 32 keys under way",
       [](const Configuration& c, const Problem& p, const DeviceInfo&) {
         return c.at("vectors_per_thread") * vector_keys(p) <= 32;
       },
       {"vectors_per_thread"}},
      {"the keys under way and 26 registers besides fit a multiprocessor's, for min_blocks_per_sm blocks",
       [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
         const std::int64_t keys = c.at("vectors_per_thread") * std::max<std::int64_t>(vector_keys(p), 4);
         return registers_fit(c, keys + 26, c.at("min_blocks_per_sm"), d);
       },
       {"block_size_x", "vectors_per_thread", "min_blocks_per_sm"}},
      shared_memory_fits_block(filter_bytes),
      blocks_fit_multiprocessor(filter_bytes),
  };
  space.restrictions.insert(space.restrictions.end(), restrictions.begin(), restrictions.end());
}

std::int64_t ArrayFilter::default_vectors(const Problem& problem) {
  return std::min<std::int64_t>(4, 32 / vector_keys(problem));
}

std::uint64_t ArrayFilter::chunk_keys(const Problem& problem, const Configuration& c) {
  return as_count(c.at("block_size_x") * c.at("vectors_per_thread") * vector_keys(problem));
}

std::uint64_t ArrayFilter::blocks(const Problem& problem, const Configuration& c, const DeviceInfo& device) {
  return std::min(as_count(c.at("min_blocks_per_sm") * device.sm_count),
                  parts_of(problem.n, chunk_keys(problem, c)));
}

void ArrayFilter::add_to(PlanBuilder& builder, const Problem& problem, const Configuration& c,
                         const DeviceInfo& device, std::string_view carrying, const Between& between) {
  builder.launch(filter_kernel,
                 fmt::format("{}, {}, {}, {}, {}", carrying, c.at("block_size_x"), c.at("vectors_per_thread"),
                             staged, c.at("min_blocks_per_sm")),
                 {.blocks = blocks(problem, c, device),
                  .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
                  .shared_bytes = as_count(filter_bytes(c, problem))},
                 between.items, between.room, between.count, between.bound, address_of(Role::keys_in),
                 address_of(Role::lengths), OperandStride{Role::lengths}, problem.n);
}

}  // namespace bitune
