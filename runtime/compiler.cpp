#include "runtime/compiler.hpp"

#include "bitune/embedded_kernels.hpp"
#include "model/digest.hpp"

namespace bitune {

const std::string& kernel_sources_digest() {
  static const std::string hex = [] {
    Digest digest;
    for (const EmbeddedFile& file : embedded_kernels()) digest.add(file.path).add(file.text);
    return digest.hex();
  }();
  return hex;
}

}  // namespace bitune
