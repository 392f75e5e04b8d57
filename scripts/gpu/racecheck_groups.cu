// What racecheck says of two halves of a block that pass different numbers of their own barriers, and meet at
// a barrier of the block afterwards: nothing races here, and compute-sanitizer 2025.3.1 (CUDA 13.0) reports
// hundreds of hazards between accesses that
// __syncthreads() separates, in some runs and not in others. With equal numbers of barriers it never does.
// The variant `multiway` splits in this way, a half of the block at each end of its bucket; see
// docs/kernels.md.
//
//   nvcc -std=c++17 -arch=native scripts/gpu/racecheck_groups.cu -o racecheck_groups
//   for rounds in "5 5" "5 8" "8 5" "40 3"; do compute-sanitizer --tool racecheck ./racecheck_groups $rounds;
//   done

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr unsigned threads = 256;
constexpr unsigned half = threads / 2;

// Each value is written to one of two halves of a buffer in turn, so that one barrier lies between a write
// and the reads of it, and another one between these and the next write to that place.
__global__ void two_halves(int rounds_of_first, int rounds_of_second, unsigned* out) {
  __shared__ unsigned of_halves[2][2][half];
  __shared__ unsigned of_block[2][threads];
  const unsigned thread = threadIdx.x;
  const unsigned group = thread / half;
  const unsigned place = thread % half;
  unsigned value = thread;
  for (int i = 0; i < (group == 0 ? rounds_of_first : rounds_of_second); ++i) {
    of_halves[group][i & 1][place] = value;
    asm volatile("bar.sync %0, %1;" ::"r"(group + 1), "r"(half) : "memory");
    value += of_halves[group][i & 1][(place + 1) % half];
  }
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    of_block[i & 1][thread] = value;
    __syncthreads();
    value += of_block[i & 1][(thread * 37 + 11) % threads];
  }
  out[thread] = value;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s ROUNDS_OF_FIRST_HALF ROUNDS_OF_SECOND_HALF\n", arguments[0]);
    return 2;
  }
  unsigned* out = nullptr;
  cudaMalloc(&out, threads * sizeof(*out));
  for (int i = 0; i < 4; ++i)
    two_halves<<<1, threads>>>(std::atoi(arguments[1]), std::atoi(arguments[2]), out);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
