#pragma once

/// \file
/// A plan: the launches that sort one problem under one configuration, as plain data. It is made by a pure
/// function of (problem, configuration, device limits) and executed by any device.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bitune {

/// A kernel as the compiler sees it: the embedded header that defines it and the expression that names one
/// instantiation of its template. It depends on the configuration and the key type, never on the size.
struct KernelSource {
  std::string header;           ///< "kernels/warp/tile_sort.cuh"
  std::string name_expression;  ///< "bitune::tile_sort<bitune::Codec<...>, 256, 16>"

  auto operator<=>(const KernelSource&) const = default;
};

/// One kernel argument. Pointers are offsets into what the caller gives, bound at launch, as is the distance
/// of rows.
struct Argument {
  enum class Kind : std::uint8_t {
    keys,        ///< where the sorted keys go
    input,       ///< where the keys come from: `keys` itself, unless the plan sorts out of place
    workspace,   ///< the plan's workspace
    row_stride,  ///< u64: keys from the beginning of one row to the next
    u32,
    u64,
  };
  Kind kind = Kind::u64;
  std::uint64_t value = 0;  ///< the number, or the byte offset of the pointer

  bool operator==(const Argument&) const = default;
};

using Dim3 = std::array<std::uint32_t, 3>;

/// One kernel launch.
struct Launch {
  std::size_t kernel = 0;  ///< index into Plan::kernels
  Dim3 grid = {1, 1, 1};
  Dim3 block = {1, 1, 1};
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory a block
  std::uint32_t cluster = 1;       ///< blocks a cluster, along x
  bool cooperative = false;        ///< all blocks resident at once
  bool dependent =
      false;  ///< may begin while the launch before it ends: its kernel waits for that before it reads
  std::vector<Argument> arguments;

  bool operator==(const Launch&) const = default;
};

/// Launches in stream order. An empty plan sorts nothing (n < 2).
struct Plan {
  std::vector<KernelSource> kernels;
  std::vector<Launch> launches;
  std::uint64_t workspace_bytes = 0;
  bool out_of_place = false;  ///< reads `input` once and writes `keys`; else `keys` must hold the input

  bool operator==(const Plan&) const = default;
};

}  // namespace bitune
