#pragma once

/// \file
/// Sorted keys of four bytes that cross a link as their lower halves (kernels/multi/key_halves.cuh).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "bitune/types.hpp"
#include "model/plan.hpp"
#include "multi/agreement.hpp"
#include "multi/rank_device.hpp"
#include "multi/rank_store.hpp"

namespace bitune::multi {

/// What a rank shows of its run. Others may read it when their streams have waited for `are_there`.
struct ShownHalves {
  const std::byte* lower = nullptr;   ///< by the keys' places in the run
  const std::byte* starts = nullptr;  ///< of upper halves
  const DeviceEvent* are_there = nullptr;
};

/// How two ranks tell each other of halves. Both call the same.
struct HalvesExchange {
  std::byte* memory = nullptr;  ///< KeyHalves::memory_bytes of the rank's run
  DeviceEvent* are_there = nullptr;
  std::function<ShownHalves(const ShownHalves& mine)> show;  ///< returns the other rank's
};

/// Which part of a rank's run the other one wants: see WantedPart.
struct WantedHalves {
  const std::byte* keys = nullptr;
  std::uint64_t length = 0;
  bool is_first = false;
  const std::uint64_t* cut = nullptr;  ///< in the device's memory
  std::uint64_t skipped = 0;
};

/// Makes halves of keys. So half as many bytes cross the link, whatever the keys are.
class KeyHalves {
 public:
  explicit KeyHalves(const SortSpec& spec);

  /// Whether these ranks take them: two, whose keys can be told so, and of which both get enough.
  [[nodiscard]] static bool suit(const Terms& terms, const RankStore& store);
  /// Device memory for those of a run, and for what is read of another one's.
  [[nodiscard]] static std::uint64_t memory_bytes(std::uint64_t length) noexcept;
  [[nodiscard]] std::vector<KernelSource> kernels() const { return {find_kernel_, halve_kernel_}; }

  /// Enqueues what makes halves of a part, shows them, and lets `copies` wait for the other rank's. Returns
  /// these, with starts that `copies` brings near.
  ShownHalves share(RankDevice& device, const WantedHalves& part, const HalvesExchange& exchange,
                    Stream stream, Stream copies) const;

 private:
  KernelSource find_kernel_;
  KernelSource halve_kernel_;
};

}  // namespace bitune::multi
