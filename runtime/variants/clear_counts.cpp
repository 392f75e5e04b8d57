#include "runtime/variants/clear_counts.hpp"

#include <algorithm>
#include <string>

namespace bitune {

void append_clear_counts(PlanBuilder& builder, const ClearKernel& kernel, Address counters,
                         std::uint64_t count, std::uint64_t most_blocks) {
  constexpr std::uint32_t threads = 256;
  builder.launch(kernel, std::to_string(threads),
                 {.blocks = std::min(most_blocks, parts_of(count, threads)), .threads = threads}, counters,
                 count);
}

}  // namespace bitune
