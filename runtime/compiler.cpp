#include "runtime/compiler.hpp"

#include <thread>

#include "runtime/at_once.hpp"

namespace bitune {

std::vector<KernelImage> Compiler::compile_all(std::span<const KernelSource> sources,
                                               const std::stop_token& stop) const {
  std::vector<KernelImage> images(sources.size());
  at_once(sources.size(), std::thread::hardware_concurrency(),
          [&](std::size_t i) { images[i] = compile(sources[i], stop); });
  return images;
}

}  // namespace bitune
