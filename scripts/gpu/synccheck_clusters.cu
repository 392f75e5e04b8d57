// What synccheck says of clusters whose blocks send each other bytes, each to a barrier of its own that all
// threads of the receiving block wait for. Every barrier is waited for once, and compute-sanitizer 2025.3.1
// (CUDA 13.0) reports nothing with 4 and 8 blocks a cluster. With 16 it reports missing waits of rank 8. The
// variant `cluster_by_digits` sorts rows in this way; see docs/reliability.md.
//
//   nvcc -std=c++17 -arch=native scripts/gpu/synccheck_clusters.cu -o synccheck_clusters
//   for blocks in 4 8 16; do compute-sanitizer --tool synccheck ./synccheck_clusters $blocks 60; done

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr unsigned threads = 256;
constexpr unsigned rounds = 3;

__global__ void all_to_all(unsigned blocks, std::uint64_t* out) {
  __shared__ alignas(8) std::uint64_t barriers[rounds];
  __shared__ std::uint64_t received[rounds][16];
  const unsigned thread = threadIdx.x;
  unsigned rank = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (thread == 0) {
    for (unsigned i = 0; i < rounds; ++i)
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], 1;\n"
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
              static_cast<unsigned>(__cvta_generic_to_shared(barriers + i))),
          "r"(blocks * 8)
          : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  std::uint64_t value = blockIdx.x + 1;
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(barriers + i));
    if (thread < blocks) {
      const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&received[i][rank]));
      asm volatile(
          "{\n.reg .u32 to, there;\n"
          "mapa.shared::cluster.u32 to, %0, %2;\n"
          "mapa.shared::cluster.u32 there, %1, %2;\n"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [to], %3, [there];\n}" ::"r"(place),
          "r"(barrier), "r"(thread), "l"(value)
          : "memory");
    }
    unsigned complete = 0;
    while (complete == 0)
      asm volatile(
          "{\n.reg .pred complete;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], 0;\n"
          "selp.u32 %0, 1, 0, complete;\n}"
          : "=r"(complete)
          : "r"(barrier)
          : "memory");
    value = 0;
    for (unsigned other = 0; other < blocks; ++other) value += received[i][other];
  }
  if (thread == 0) out[blockIdx.x] = value;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s BLOCKS_OF_A_CLUSTER CLUSTERS\n", arguments[0]);
    return 2;
  }
  const unsigned blocks = static_cast<unsigned>(std::atoi(arguments[1]));
  cudaLaunchConfig_t launch{};
  launch.gridDim = blocks * static_cast<unsigned>(std::atoi(arguments[2]));
  launch.blockDim = threads;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks, 1, 1};
  launch.attrs = &attribute;
  launch.numAttrs = 1;
  std::uint64_t* out = nullptr;
  cudaMalloc(&out, launch.gridDim.x * sizeof(*out));
  cudaFuncSetAttribute(all_to_all, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (int i = 0; i < 4; ++i) cudaLaunchKernelEx(&launch, all_to_all, blocks, out);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%u blocks a cluster: %s\n", blocks, cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
