#include "model/device_info.hpp"

#include <fmt/format.h>

#include "model/digest.hpp"

namespace bitune {

std::string DeviceInfo::digest() const {
  Digest digest;
  digest.add(kind).add(name);
  const std::int64_t facts[] = {compute_major,
                                compute_minor,
                                sm_count,
                                warp_size,
                                max_threads_per_block,
                                max_threads_per_sm,
                                max_blocks_per_sm,
                                registers_per_block,
                                registers_per_sm,
                                shared_bytes_per_block,
                                shared_bytes_per_block_optin,
                                shared_bytes_per_sm,
                                l2_bytes,
                                memory_bytes >> 30,
                                cooperative_launch ? 1 : 0,
                                max_cluster_size};
  for (const std::int64_t fact : facts) digest.add(fmt::format("{}", fact));
  return digest.hex();
}

}  // namespace bitune
