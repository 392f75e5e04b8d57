#pragma once

/// \file
/// Launches kernels that a test plants as text on an emulated device.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/emulated/emulated_device.hpp"

namespace bitune::test {

/// A device that knows one planted kernel, `bitune::planted`, and u32 buffers to run it on.
class PlantedKernel {
 public:
  /// `definition` stands behind the platform's headers, in namespace bitune.
  explicit PlantedKernel(const std::string& definition, const EmulatedOptions& options = {},
                         const std::string& expression = "bitune::planted")
      : device_(make_emulated_device(
            options, {{"kernels/planted.cuh",
                       "#pragma once\n#include \"kernels/platform/platform.cuh\"\nnamespace bitune {\n" +
                           definition + "\n}\n"}})),
        kernel_(device_->load(image_of(device_->compiler(), {"kernels/planted.cuh", expression}))) {}

  /// Launches planted(data, size) on a copy of `data`; returns what it made of it.
  std::vector<std::uint32_t> run(std::vector<std::uint32_t> data, const Launch& launch) {
    const auto buffer = device_->allocate(data.size() * sizeof(std::uint32_t));
    std::memcpy(buffer->data(), data.data(), buffer->size());
    const std::vector<std::uint64_t> arguments = {reinterpret_cast<std::uint64_t>(buffer->data()),
                                                  data.size()};
    device_->launch(*kernel_, launch, arguments, nullptr);
    device_->synchronize(nullptr);
    std::memcpy(data.data(), buffer->data(), buffer->size());
    return data;
  }

  /// The sentence with which a launch fails; empty if it does not.
  std::string failure(const std::vector<std::uint32_t>& data, const Launch& launch) {
    try {
      run(data, launch);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device);
      return error.what();
    }
    return {};
  }

  [[nodiscard]] const Device& device() const { return *device_; }
  [[nodiscard]] const LoadedKernel& kernel() const { return *kernel_; }

 private:
  // The same text is planted under several seeds: it is compiled once.
  static const KernelImage& image_of(const Compiler& compiler, const KernelSource& source) {
    static std::map<std::string, KernelImage> images;
    const std::string digest = compiler.digest(source);
    const auto found = images.find(digest);
    return found != images.end() ? found->second
                                 : images.emplace(digest, compiler.compile(source)).first->second;
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<LoadedKernel> kernel_;
};

inline Launch launch_of(std::uint32_t grid, std::uint32_t block, std::uint32_t shared_bytes = 0) {
  Launch launch;
  launch.grid = {grid, 1, 1};
  launch.block = {block, 1, 1};
  launch.shared_bytes = shared_bytes;
  return launch;
}

inline EmulatedOptions options_seeded(std::uint64_t seed) {
  EmulatedOptions options;
  options.seed = seed;
  return options;
}

}  // namespace bitune::test
