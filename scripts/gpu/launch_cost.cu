// What of a warm call of bitune_run is the driver's: times its parts apart, by the host's clock. Who looks
// into the cost of calls from Python reads it beside `bitune_run of sort` of python_bench.py. Built and run
// on a machine with a GPU: nvcc -O2 -o launch_cost scripts/gpu/launch_cost.cu -lcuda && ./launch_cost
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

__global__ void nothing() {}
__global__ void six_arguments(unsigned*, const unsigned*, unsigned long long, unsigned long long, unsigned,
                              unsigned) {}

/// The median of rounds of calls in a row; between rounds the GPU catches up.
void time_calls(const char* what, const std::function<void()>& call) {
  constexpr int calls = 100;
  std::vector<double> rounds;
  for (int round = 0; round < 200; ++round) {
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    rounds.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls);
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("%-44s median %.3f least %.3f us\n", what, rounds[rounds.size() / 2], rounds.front());
}

CUfunction function_of(const void* kernel) {
  cudaFunction_t found = nullptr;
  cudaGetFuncBySymbol(&found, kernel);
  return reinterpret_cast<CUfunction>(found);
}

}  // namespace

int main() {
  if (cudaFree(nullptr) != cudaSuccess) {
    std::fprintf(stderr, "launch_cost: there is no GPU\n");
    return 1;
  }
  CUcontext context = nullptr;
  CUdevice device = 0;
  unsigned long long id = 0;
  unsigned flags = 0;
  int active = 0;
  time_calls("cuCtxGetCurrent", [&] { cuCtxGetCurrent(&context); });
  time_calls("cuCtxGetDevice", [&] { cuCtxGetDevice(&device); });
  time_calls("cuCtxGetId", [&] { cuCtxGetId(context, &id); });
  time_calls("cuDevicePrimaryCtxGetState", [&] { cuDevicePrimaryCtxGetState(device, &flags, &active); });
  CUstreamCaptureStatus status{};
  time_calls("cuStreamIsCapturing", [&] { cuStreamIsCapturing(nullptr, &status); });
  void* data = nullptr;
  unsigned long long number = 1024;
  void* arguments[] = {&data, &data, &number, &number, &number, &number};
  for (const bool takes_arguments : {false, true}) {
    const CUfunction function = function_of(takes_arguments ? reinterpret_cast<const void*>(six_arguments)
                                                            : reinterpret_cast<const void*>(nothing));
    for (const unsigned shared : {0u, 4224u}) {
      for (const bool dependent : {false, true}) {
        CUlaunchAttribute attribute{};
        attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute.value.programmaticStreamSerializationAllowed = 1;
        CUlaunchConfig config{};
        config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
        config.blockDimX = 128;
        config.sharedMemBytes = shared;
        config.attrs = &attribute;
        config.numAttrs = dependent ? 1 : 0;
        char what[80];
        std::snprintf(what, sizeof what, "cuLaunchKernelEx%s, %u bytes%s",
                      takes_arguments ? ", 6 arguments" : "", shared, dependent ? ", dependent" : "");
        time_calls(what, [&] { cuLaunchKernelEx(&config, function, arguments, nullptr); });
      }
    }
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
