#pragma once

/// \file
/// The launches of a radix sort, one by one: of keys alone (kernels/radix/radix_pass.cuh), or of keys with
/// what travels with them (kernels/radix/radix_pairs_pass.cuh).

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/radix/ramps_layout.hpp"
#include "model/problem.hpp"
#include "runtime/variants/plan_builder.hpp"
#include "runtime/variants/radix_parts.hpp"

namespace bitune {

/// Where a pass reads and writes, and what its blocks tell each other.
struct PassMemory {
  Address keys_out;
  Address keys_in;
  Address values_out;  ///< or indices; of no use where nothing travels
  Address values_in;
  Address tickets;    ///< u32 of each pass, 0 at first
  Address digits;     ///< a counter for each digit of each pass
  Address look_back;  ///< counters of each tile's digits, twice: for even and for odd passes
};

/// The passes of one sort. Launches may be over any keys of it, all or some.
class RadixPasses {
 public:
  /// `c`: of the variant `radix`, or of `radix_pairs` where something travels. `has_ramps`: passes may begin
  /// and end with small tiles. All must outlive this.
  RadixPasses(const Problem& problem, const Configuration& c, const DeviceInfo& device,
              bool has_ramps = true);

  [[nodiscard]] std::uint64_t passes() const noexcept { return passes_; }
  /// The kernels' headers.
  [[nodiscard]] static std::vector<std::string_view> headers(bool carries);
  [[nodiscard]] radix_parts::CountKernel count_kernel() const noexcept;
  /// The codec that digits are counted by, as of codec_arguments.
  [[nodiscard]] std::string counted_codec() const;
  /// Tiles of a pass over so many keys.
  [[nodiscard]] std::uint64_t tiles_of(std::uint64_t n) const;

  /// Appends a pass over n keys. `makes_indices`: what travels are the keys' places.
  void append(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n, const PassMemory& memory,
              bool makes_indices = false) const;

  /// Appends the last pass over n keys, of which only `count` sorted ones behind the first `skipped` are
  /// written.
  void append_wanted(PlanBuilder& builder, std::uint64_t n, const PassMemory& memory, std::uint64_t skipped,
                     std::uint64_t count) const;

 private:
  [[nodiscard]] layout::RampedTiles ramped_tiles_of(std::uint64_t n) const;
  void append_keys(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n, const PassMemory& memory) const;
  void append_pairs(PlanBuilder& builder, std::uint64_t pass, std::uint64_t n, const PassMemory& memory,
                    bool makes_indices) const;

  const Problem& problem_;
  const Configuration& c_;
  const DeviceInfo& device_;
  std::uint64_t passes_;
  bool carries_;
  bool has_ramps_;
};

/// All of a sort: counting, and each pass over all keys.
[[nodiscard]] Plan radix_plan(const Problem& problem, const Configuration& c, const DeviceInfo& device);

}  // namespace bitune
