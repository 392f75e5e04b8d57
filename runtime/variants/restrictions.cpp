#include "runtime/variants/restrictions.hpp"

#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune {

Restriction vector_fits_access() {
  return {"vector_width keys are at most 16 bytes",
          [](const Configuration& c, const Problem& p, const DeviceInfo&) {
            return c.at("vector_width") * static_cast<std::int64_t>(size_of(p.key)) <= 16;
          }};
}

Restriction block_fits_device() {
  return {"block_size_x is at most the device's threads per block",
          [](const Configuration& c, const Problem&, const DeviceInfo& d) {
            return c.at("block_size_x") <= d.max_threads_per_block;
          }};
}

Restriction pass_fits_registers(std::string unroll_parameter) {
  return {"the keys of a strided pass take at most 256 bytes of registers a thread",
          [unroll_parameter](const Configuration& c, const Problem& p, const DeviceInfo&) {
            const std::int64_t unroll = unroll_parameter.empty() ? 1 : c.at(unroll_parameter);
            return (c.at("vector_width") << c.at("steps_per_pass")) * unroll * word_bytes(p.key) <= 256;
          }};
}

}  // namespace bitune
