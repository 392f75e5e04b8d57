#include "runtime/emulated/emulated_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "bitune/error.hpp"
#include "runtime/emulated/group_runner.hpp"
#include "runtime/emulated/temporary_folder.hpp"

namespace bitune::emulated {

EmulatedKernel::EmulatedKernel(const KernelImage& image, int max_threads_per_block)
    : name_(image.lowered_name) {
  // A name that no other kernel has had: the loader takes equal names for equal libraries.
  const std::filesystem::path file = process_folder().unique(".so");
  write_file(file, image.bytes);
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* problem = library_ == nullptr ? dlerror() : nullptr;
  std::string reason = problem == nullptr ? "" : problem;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);

  const CompiledKernel* kernel = nullptr;
  if (library_ != nullptr) {
    if (auto* bind = reinterpret_cast<BindFunction*>(dlsym(library_, bind_name)); bind != nullptr) {
      kernel = bind(&GroupRunner::services());
      while (kernel->name != nullptr && kernel->name != name_) ++kernel;
    }
    if (kernel == nullptr || kernel->name == nullptr) {
      dlclose(library_);
      reason = "it exports no kernel of this name for the emulated device";
    }
  }
  if (!reason.empty()) {
    throw Error(ErrorCode::device,
                fmt::format("Cannot load the kernel {} on the emulated device: {}.", name_, reason));
  }
  entry_ = kernel->entry;
  signature_ = kernel->parameters;
  resources_.max_threads_per_block = max_threads_per_block;
}

EmulatedKernel::~EmulatedKernel() { dlclose(library_); }

}  // namespace bitune::emulated
