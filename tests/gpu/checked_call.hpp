#pragma once

/// \file
/// Calls of a Sorter with their data, and the oracle's word on what came of them. No call keeps anything in a
/// context: contexts come and go in these tests.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bitune/bitune.hpp"
#include "runtime/cuda/driver.hpp"
#include "tests/support/checked_call.hpp"

namespace bitune::test {

/// Memory of the current context. What fails throws the driver's words.
class ContextMemory {
 public:
  explicit ContextMemory(std::size_t bytes) {
    check(cuda::driver().cuMemAlloc(&address_, bytes), "cuMemAlloc");
  }
  ~ContextMemory() { cuda::driver().cuMemFree(address_); }
  ContextMemory(const ContextMemory&) = delete;
  ContextMemory& operator=(const ContextMemory&) = delete;

  [[nodiscard]] void* data() const noexcept { return reinterpret_cast<void*>(address_); }
  [[nodiscard]] CUdeviceptr address() const noexcept { return address_; }

  /// Unless `result` is success, throws what the driver calls it.
  static void check(CUresult result, const char* function) {
    if (result != CUDA_SUCCESS)
      throw Error(ErrorCode::device, std::string(function) + ": " + cuda::driver().describe(result));
  }

 private:
  CUdeviceptr address_ = 0;
};

/// One call, of arrays in the memory of the host or of a GPU.
class CheckedGpuCall : public CheckedCall {
 public:
  using CheckedCall::CheckedCall;

  /// Of arrays in memory of the current context.
  [[nodiscard]] std::optional<std::string> on_device(Sorter& sorter, CUstream stream) const {
    const cuda::Driver& driver = cuda::driver();
    const ContextMemory memory(before().size());
    std::vector<std::byte> image(before().size());
    ContextMemory::check(driver.cuMemcpyHtoDAsync(memory.address(), before().data(), before().size(), stream),
                         "cuMemcpyHtoDAsync");
    sorter.run(problem(), operands_in(memory.data()), stream);
    ContextMemory::check(driver.cuMemcpyDtoHAsync(image.data(), memory.address(), image.size(), stream),
                         "cuMemcpyDtoHAsync");
    ContextMemory::check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize");
    return fault_in(image);
  }
};

/// Problems of each operation: kernels of one block, of a cluster and of many, with and without a workspace.
[[nodiscard]] inline std::vector<Problem> problems_of_each_operation() {
  const SortSpec keys{.key = KeyType::f32};
  const SortSpec pairs{
      .operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 4, .stable = true};
  const SortSpec indices{
      .operation = Operation::argsort, .key = KeyType::f64, .index_bytes = 4, .stable = true};
  std::vector<Problem> problems = {{{.key = KeyType::u16}, {.n = 1 << 20}}};
  for (const SortSpec& spec : {keys, pairs, indices}) {
    for (const Shape& shape :
         {Shape{.n = 1000}, Shape{.n = 20000}, Shape{.n = 1 << 18}, Shape{.n = 1000, .rows = 100}})
      problems.push_back({spec, shape});
  }
  return problems;
}

/// The tunings are the shipped ones, not those of who runs the tests.
[[nodiscard]] inline SorterOptions own_options(const std::string& device = "0") {
  const auto none = std::filesystem::temp_directory_path() / "bitune-no-such-folder" / "none.db";
  return {.device = device, .database = none.string(), .kernel_cache = {}};
}

}  // namespace bitune::test
