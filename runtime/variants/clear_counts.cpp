#include "runtime/variants/clear_counts.hpp"

#include <algorithm>
#include <string>

namespace bitune {

void append_clear_counts(PlanBuilder& builder, Address counters, std::uint64_t count,
                         std::uint64_t most_blocks) {
  constexpr std::uint32_t threads = 256;
  builder.launch(clear_counts_kernel, std::to_string(threads),
                 {.blocks = std::min(most_blocks, parts_of(count, threads)), .threads = threads}, counters,
                 count);
}

}  // namespace bitune
