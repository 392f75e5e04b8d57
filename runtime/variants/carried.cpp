#include "runtime/variants/carried.hpp"

#include <algorithm>

#include "model/key_type.hpp"

namespace bitune {

bool carries_one_thing(const Problem& problem) noexcept {
  const bool pairs = problem.operation == Operation::sort_pairs;
  const bool indices = problem.operation == Operation::sort || problem.operation == Operation::argsort;
  return problem.value_bytes == 0 ? indices && problem.index_bytes != 0 : pairs && problem.index_bytes == 0;
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

std::int64_t prefers_doubles(KeyType key, const DeviceInfo& device) noexcept {
  const bool is_fast = device.compute_minor == 0 && device.compute_major >= 6 && device.compute_major <= 10;
  return size_of(key) == 4 && is_fast ? 1 : 0;
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
      "the threads' items, with 34 registers besides, 44 where keys are written and 64 with early_values, "
      "fit "
      "a block's registers, and min_blocks_per_sm times a multiprocessor's; so do places and values, with 34",
      [](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        const std::int64_t item = size_of(p.key) == 8 ? 3 : placed_item_bytes(p.key) / 4;
        const std::int64_t besides = p.operation == Operation::argsort ? 34
                                     : c.at("early_values") == 0       ? 44
                                                                       : 64;
        const std::int64_t value = (p.value_bytes + 3) / 4;
        const std::int64_t a_thread =
            std::max(c.at("items_per_thread") * item + besides, c.at("items_per_thread") * (1 + value) + 34);
        const std::int64_t registers = a_thread * c.at("block_size_x");
        return a_thread <= 255 && registers <= d.registers_per_block &&
               registers * c.at("min_blocks_per_sm") <= d.registers_per_sm;
      },
      {"items_per_thread", "block_size_x", "early_values", "min_blocks_per_sm"}};
}

}  // namespace bitune
