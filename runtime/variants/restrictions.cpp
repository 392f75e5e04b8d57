#include "runtime/variants/restrictions.hpp"

#include <algorithm>
#include <utility>

#include "kernels/network/network_layout.hpp"
#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune {

Restriction vector_fits_access() {
  return {"vector_width keys are at most 16 bytes",
          [](const Configuration& c, const Problem& p, const DeviceInfo&) {
            return c.at("vector_width") * static_cast<std::int64_t>(size_of(p.key)) <= 16;
          },
          {"vector_width"}};
}

Restriction block_fits_device() {
  return {"block_size_x is at most the device's threads per block",
          [](const Configuration& c, const Problem&, const DeviceInfo& d) {
            return c.at("block_size_x") <= d.max_threads_per_block;
          },
          {"block_size_x"}};
}

Restriction pass_fits_registers(std::string unroll_parameter) {
  std::vector<std::string> reads = {"block_size_x", "steps_per_pass", "vector_width"};
  if (!unroll_parameter.empty()) reads.push_back(unroll_parameter);
  return {
      "the keys of a strided pass take at most 256 bytes a thread, and with as much for their addresses and "
      "20 registers besides fit a block's registers",
      [unroll_parameter](const Configuration& c, const Problem& p, const DeviceInfo& d) {
        const std::int64_t unroll = unroll_parameter.empty() ? 1 : c.at(unroll_parameter);
        const std::int64_t bytes =
            (c.at("vector_width") << c.at("steps_per_pass")) * unroll * word_bytes(p.key);
        return bytes <= 256 && (2 * bytes / 4 + 20) * c.at("block_size_x") <= d.registers_per_block;
      },
      reads};
}

std::int64_t padded_tile_bytes(std::int64_t keys, KeyType key) noexcept {
  return layout::padded_bytes(keys, word_bytes(key));
}

Restriction shared_memory_fits_block(SharedBytes bytes) {
  return {"a block's tile and its padding fit the shared memory that the device allows a block",
          [bytes = std::move(bytes)](const Configuration& c, const Problem& p, const DeviceInfo& d) {
            return bytes(c, p) <= d.shared_bytes_per_block_optin;
          }};
}

bool registers_fit(const Configuration& c, std::int64_t a_thread, std::int64_t blocks,
                   const DeviceInfo& device) {
  return registers_fit(c.at("block_size_x"), a_thread, blocks, device);
}

bool registers_fit(std::int64_t threads, std::int64_t a_thread, std::int64_t blocks,
                   const DeviceInfo& device) {
  const std::int64_t registers = a_thread * threads;
  return a_thread <= 255 && registers <= device.registers_per_block &&
         registers * blocks <= device.registers_per_sm;
}

Restriction items_fit_registers(std::string blocks_parameter) {
  std::string text = "the threads' items and 20 registers besides fit a block's registers";
  std::vector<std::string> reads = {"items_per_thread", "block_size_x"};
  if (!blocks_parameter.empty()) {
    text += ", and " + blocks_parameter + " times a multiprocessor's";
    reads.push_back(blocks_parameter);
  }
  return {std::move(text),
          [blocks_parameter](const Configuration& c, const Problem& p, const DeviceInfo& d) {
            return registers_fit(c, c.at("items_per_thread") * word_bytes(p.key) / 4 + 20,
                                 blocks_parameter.empty() ? 1 : c.at(blocks_parameter), d);
          },
          reads};
}

namespace {

/// By the system, of each block's shared memory.
constexpr std::int64_t reserved_bytes = 1024;

}  // namespace

bool fit_multiprocessor(std::int64_t blocks, std::int64_t threads, std::int64_t bytes,
                        const DeviceInfo& device) {
  return blocks * threads <= device.max_threads_per_sm &&
         blocks * (bytes + reserved_bytes) <= device.shared_bytes_per_sm;
}

std::int64_t resident_blocks(std::int64_t threads, std::int64_t registers, std::int64_t bytes,
                             const DeviceInfo& device) {
  // A multiprocessor has four parts, each with registers of its own for whole warps.
  constexpr std::int64_t parts = 4;
  const std::int64_t warps = parts * (device.registers_per_sm / parts / (registers * device.warp_size));
  return std::max<std::int64_t>(
      1, std::min({warps * device.warp_size / threads, device.max_threads_per_sm / threads,
                   device.shared_bytes_per_sm / (bytes + reserved_bytes)}));
}

Restriction blocks_fit_multiprocessor(SharedBytes bytes) {
  return {"min_blocks_per_sm blocks fit a multiprocessor's threads and shared memory",
          [bytes = std::move(bytes)](const Configuration& c, const Problem& p, const DeviceInfo& d) {
            return fit_multiprocessor(c.at("min_blocks_per_sm"), c.at("block_size_x"), bytes(c, p), d);
          }};
}

Restriction cluster_fits_device() {
  return {"the device allows clusters of that size",
          [](const Configuration& c, const Problem&, const DeviceInfo& d) {
            return c.at("cluster_size") <= d.largest_cluster_size();
          },
          {"cluster_size"}};
}

Restriction dependent_launch_fits_device() {
  return {"dependent launches need compute capability 9.0",
          [](const Configuration& c, const Problem&, const DeviceInfo& d) {
            return c.at("dependent_launch") == 0 || d.compute_major >= 9;
          },
          {"dependent_launch"}};
}

}  // namespace bitune
