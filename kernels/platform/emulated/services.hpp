#pragma once

/// \file
/// What a kernel compiled for the emulated device and the emulator know of each other. Compiled into both:
/// into kernels as text at run time, and into bitune. Plain data and function pointers; no header but this.

namespace bitune::emulated {

/// Coordinates of one emulated thread. The address stays the same for as long as the thread runs.
struct ThreadCoordinates {
  unsigned int thread = 0;
  unsigned int block = 0;
  unsigned int block_count = 1;
  unsigned int block_size = 1;
  unsigned int lane = 0;
  unsigned int warp = 0;
  unsigned int cluster_rank = 0;
  unsigned int cluster_size = 1;
  unsigned int shared_bytes = 0;
  unsigned char* shared = nullptr;  ///< the block's dynamic shared memory
};

/// What the emulator does for a running kernel. All functions are called on the fibre of the thread that they
/// concern. They may switch to other fibres. They throw, through the kernel, when the launch is given up.
struct Services {
  ThreadCoordinates* (*current)();
  void (*sync_block)();
  void (*sync_part)(unsigned int part, unsigned int threads);
  void (*sync_warp)(unsigned int mask);
  /// Passes `bytes` bytes to the warp and receives those that `source_lane` passes.
  void (*shuffle)(const void* passed, void* received, unsigned int bytes, unsigned int source_lane);
  /// Each of `count` words becomes the sum of those that the lanes of the warp have in its place.
  void (*add_up)(unsigned int* words, unsigned int count);
  /// The lanes of the warp that ask with the same word.
  unsigned int (*lanes_alike)(unsigned int word);
  void (*sync_cluster)();
  /// Beginning of the shared memory of another block of the cluster.
  unsigned char* (*shared_of_rank)(unsigned int rank);
  void (*wait_for_previous_launch)();
  void (*allow_next_launch)();
  /// So many bytes have arrived, of those that *expected says are still to come.
  void (*bytes_arrive)(unsigned long long* expected, unsigned int bytes);
  /// Waits until none are to come.
  void (*wait_for_bytes)(unsigned long long* expected);
  /// Gives the launch up. `what` completes "thread 3 of block 5 ...".
  void (*fail)(const char* what);
};

/// Runs one thread of a kernel, with an 8-byte slot for each argument.
using EntryFunction = void(const void* slots);

struct CompiledKernel {
  const char* name;        ///< its name expression
  const char* parameters;  ///< a letter for each: 'p' for a pointer, a digit for a number of so many bytes
  EntryFunction* entry;
};

/// What a compiled object exports under this name. It is called once, and returns the object's kernels; behind the last is one without a name.
using BindFunction = const CompiledKernel*(const Services* services);
inline constexpr const char* bind_name = "bitune_emulated_bind";

}  // namespace bitune::emulated
