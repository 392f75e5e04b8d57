#include "multi/key_halves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "kernels/multi/merge_layout.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "multi/rank_plan.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune::multi {
namespace {

constexpr std::uint32_t halving_threads = 256;
constexpr std::uint64_t most_blocks_per_sm = 8;
/// Where each upper half begins, and whether that is of no use.
constexpr std::uint64_t starts_bytes = (layout::upper_halves() + 1) * sizeof(std::uint32_t);

/// Where things lie in a rank's memory, in bytes. Threads write several halves at once, and read two.
struct Places {
  std::uint64_t bytes = 0;
  std::uint64_t starts = take_piece(bytes, starts_bytes);
  std::uint64_t of_other = take_piece(bytes, starts_bytes);
  std::uint64_t lower = bytes;

  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t length) const noexcept {
    return lower + (length + layout::halved_at_once()) * sizeof(std::uint16_t);
  }
};

}  // namespace

KeyHalves::KeyHalves(const SortSpec& spec) {
  const std::string codec = codec_arguments(spec.key, spec.order);
  const auto kernel = [&](const char* name) {
    return KernelSource{"kernels/multi/key_halves.cuh",
                        fmt::format("bitune::{}<{}, {}>", name, codec, halving_threads)};
  };
  find_kernel_ = kernel("find_upper_halves");
  halve_kernel_ = kernel("halve_keys");
}

bool KeyHalves::suit(const Terms& terms, const RankStore& store) {
  // Places are counted by 32 bits, and a block looks beyond the last one.
  constexpr std::uint64_t too_long = std::uint64_t{1} << 31U;
  const std::uint64_t bytes = size_of(terms.spec.key) + carried_bytes(terms.spec);
  const auto is_enough = [&](std::uint64_t result) {
    return result != 0 && result * bytes >= store.rules_for(result * bytes).halved_from_bytes;
  };
  return size_of(terms.spec.key) == 4 && terms.lengths.size() == 2 &&
         std::all_of(terms.results.begin(), terms.results.end(), is_enough) &&
         std::max(terms.lengths[0], terms.lengths[1]) < too_long;
}

std::uint64_t KeyHalves::memory_bytes(std::uint64_t length) noexcept { return Places{}.bytes_of(length); }

ShownHalves KeyHalves::share(RankDevice& device, const WantedHalves& part, const HalvesExchange& exchange,
                             Stream stream, Stream copies) const {
  const Places places;
  const ShownHalves mine{exchange.memory + places.lower, exchange.memory + places.starts, exchange.are_there};
  const std::array<std::uint64_t, 7> arguments = {address_argument(mine.lower),
                                                  address_argument(mine.starts),
                                                  address_argument(part.keys),
                                                  address_argument(part.cut),
                                                  part.skipped,
                                                  part.length,
                                                  part.is_first ? 1U : 0U};
  const std::uint64_t most = most_blocks_per_sm * static_cast<std::uint64_t>(device.device().info().sm_count);
  const auto launch = [&](const KernelSource& kernel, std::uint64_t threads, std::size_t first_argument) {
    Launch shape;
    shape.grid[0] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(parts_of(threads, halving_threads), 1, most));
    shape.block = {halving_threads, 1, 1};
    device.launch(kernel, shape, std::span(arguments).subspan(first_argument), stream);
  };
  launch(find_kernel_, layout::upper_halves(), 1);  // writes no halves
  launch(halve_kernel_, parts_of(part.length, layout::halved_at_once()), 0);
  device.device().record(*exchange.are_there, stream);

  ShownHalves other = exchange.show(mine);
  device.device().wait_for(*other.are_there, copies);
  device.device().copy_on_device(exchange.memory + places.of_other, other.starts, starts_bytes, copies);
  other.starts = exchange.memory + places.of_other;
  return other;
}

}  // namespace bitune::multi
