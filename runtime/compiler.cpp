#include "runtime/compiler.hpp"

#include "bitune/embedded_kernels.hpp"
#include "model/digest.hpp"

namespace bitune {

const std::string& kernel_sources_digest() {
  static const std::string digest = [] {
    Digest all;
    for (const EmbeddedFile& file : embedded_kernels()) all.add(file.path).add(file.text);
    return all.hex();
  }();
  return digest;
}

}  // namespace bitune
