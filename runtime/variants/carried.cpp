#include "runtime/variants/carried.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"
#include "runtime/variants/restrictions.hpp"

namespace bitune {
namespace {

/// Keys of a row whose places have 30 bits.
constexpr std::uint64_t longest_of_doubles = std::uint64_t{1} << 29;

}  // namespace

bool carries_one_thing(const Problem& problem) noexcept {
  const bool pairs = problem.operation == Operation::sort_pairs;
  const bool indices = problem.operation == Operation::sort || problem.operation == Operation::argsort;
  return problem.value_bytes == 0 ? indices && problem.index_bytes != 0 : pairs && problem.index_bytes == 0;
}

std::int64_t fewest_items(std::span<const std::int64_t> items, const Problem& problem, std::int64_t threads) {
  return *std::find_if(items.begin(), items.end() - 1,
                       [&](std::int64_t one) { return as_count(one * threads) >= problem.n; });
}

std::int64_t placed_item_bytes(KeyType key) noexcept {
  switch (size_of(key)) {
    case 8:
      return 16;
    case 4:
      return 8;
    default:
      return 4;
  }
}

std::string_view placed_form(KeyType key, bool as_double) noexcept {
  switch (size_of(key)) {
    case 8:
      return "planes";
    case 4:
      return as_double ? "as_double" : "word64";
    default:
      return "word32";
  }
}

std::int64_t merged_item_bytes(KeyType key) noexcept {
  return std::max<std::int64_t>(placed_item_bytes(key), 8);
}

std::int64_t merged_item_registers(KeyType key) noexcept {
  return std::max<std::int64_t>(placed_item_registers(key), 2);
}

std::string merged_arguments(const Problem& problem, const Configuration& c) {
  const KeyType key = size_of(problem.key) < 4 ? KeyType::u32 : problem.key;
  return fmt::format("{}, bitune::PlacedForm::{}", codec_arguments(problem.key, problem.order),
                     placed_form(key, c.at("compare_as_double") != 0));
}

std::int64_t prefers_doubles(KeyType key, const DeviceInfo& device) noexcept {
  const bool is_fast = device.compute_minor == 0 && device.compute_major >= 6 && device.compute_major <= 10;
  return size_of(key) == 4 && is_fast ? 1 : 0;
}

std::int64_t prefers_doubles(const Problem& problem, const DeviceInfo& device) noexcept {
  return problem.n <= longest_of_doubles ? prefers_doubles(problem.key, device) : 0;
}

Parameter compared_as_double() {
  return {"compare_as_double",
          {0, 1},
          "whether a key of 32 bits and its place are compared as floating-point numbers"};
}

Restriction places_fit_doubles() {
  return {
      "a place has 30 bits where it is compared as a part of a floating-point number: rows of at most 2^29 "
      "keys",
      [](const Configuration& c, const Problem& p, const DeviceInfo&) {
        return c.at("compare_as_double") == 0 || p.n <= longest_of_doubles;
      },
      {"compare_as_double"}};
}

Restriction placed_words_may_be_doubles() {
  return {
      "keys are compared as floating-point numbers where a key and its place have more than 32 bits and "
      "fewer than 63: compare_as_double is 1 for keys of 32 bits alone",
      [](const Configuration& c, const Problem& p, const DeviceInfo&) {
        return c.at("compare_as_double") == 0 || size_of(p.key) == 4;
      },
      {"compare_as_double"}};
}

Restriction placed_items_fit_registers() {
  return {
      "the threads' items and 34 registers besides (24 for items of one register) fit a block's registers, "
      "and min_blocks_per_sm times a multiprocessor's",
      [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        const std::int64_t of_item = placed_item_registers(p.key);
        return registers_fit(c, c.at("items_per_thread") * of_item + (of_item == 1 ? 24 : 34),
                             c.at("min_blocks_per_sm"), d);
      },
      {"items_per_thread", "block_size_x", "min_blocks_per_sm"}};
}

std::int64_t placed_item_registers(KeyType key) noexcept {
  return size_of(key) == 8 ? 3 : placed_item_bytes(key) / 4;
}

}  // namespace bitune
