#pragma once

/// \file
/// A plan: the launches that sort one problem under one configuration, as plain data. It is made by a pure
/// function of (problem, configuration, device limits) and executed by any device.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/operands.hpp"

namespace bitune {

/// A kernel as the compiler sees it: the embedded header that defines it and the expression that names one
/// instantiation of its template. It depends on the configuration, the key type and the device. Near sizes
/// share their kernels. Only ranges of sizes have kernels of their own: rows that fill their registers,
/// arrays that 32 bits do not count, search trees of one depth.
struct KernelSource {
  std::string header;           ///< "kernels/warp/tile_sort.cuh"
  std::string name_expression;  ///< "bitune::tile_sort<bitune::Codec<...>, 256, 16>"

  auto operator<=>(const KernelSource&) const = default;

  /// What people call it: "tile_sort". The configuration beside it says the rest.
  [[nodiscard]] std::string_view short_name() const noexcept {
    const std::string_view name = std::string_view(name_expression).substr(0, name_expression.find('<'));
    const std::size_t scope = name.rfind("::");
    return scope == std::string_view::npos ? name : name.substr(scope + 2);
  }
};

/// One kernel argument. Pointers and strides are those of an operand of the call, and are bound at launch. So
/// are the exact numbers of segments and keys, where one plan serves a class of problems.
struct Argument {
  enum class Kind : std::uint8_t {
    pointer,  ///< to the operand, `value` bytes behind its beginning
    stride,   ///< u64: elements from one row of the operand to the next
    u32,
    u64,
    keys,          ///< u64: Shape::n of the call; `value` is that of the problem which the plan was made for
    segments,      ///< u64: Shape::rows of the call; likewise
    equal_length,  ///< u32: equal_length() of the call; likewise
  };
  Kind kind = Kind::u64;
  Role role = Role::keys_out;  ///< of a pointer or a stride
  std::uint64_t value = 0;     ///< the number, or the byte offset of the pointer

  bool operator==(const Argument&) const = default;

  [[nodiscard]] static Argument pointer_to(Role role, std::uint64_t offset = 0) noexcept {
    return {Kind::pointer, role, offset};
  }
  [[nodiscard]] static Argument stride_of(Role role) noexcept { return {Kind::stride, role, 0}; }
  [[nodiscard]] static Argument number32(std::uint32_t value) noexcept {
    return {Kind::u32, Role::keys_out, value};
  }
  [[nodiscard]] static Argument number64(std::uint64_t value) noexcept {
    return {Kind::u64, Role::keys_out, value};
  }
  [[nodiscard]] static Argument keys_of_call(std::uint64_t planned) noexcept {
    return {Kind::keys, Role::keys_out, planned};
  }
  [[nodiscard]] static Argument segments_of_call(std::uint64_t planned) noexcept {
    return {Kind::segments, Role::keys_out, planned};
  }
  [[nodiscard]] static Argument equal_length_of_call(std::uint64_t planned) noexcept {
    return {Kind::equal_length, Role::keys_out, planned};
  }
};

using Dim3 = std::array<std::uint32_t, 3>;

/// One kernel launch.
struct Launch {
  std::size_t kernel = 0;  ///< index into Plan::kernels
  Dim3 grid = {1, 1, 1};
  Dim3 block = {1, 1, 1};
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory a block
  /// Not 0: a block is for so many segments of the call. `grid` has what the plan was made for.
  std::uint32_t segments_per_block = 0;
  std::uint32_t cluster = 1;  ///< blocks a cluster, along x
  /// May begin while the launch before it ends. Its kernel waits for that before it touches memory, and lets
  /// the next launch begin only then.
  bool dependent = false;
  /// Its kernel reads keys_in before it waits. So it is not the first of its plan, and no launch before it
  /// writes keys (PlanBuilder::take).
  bool reads_keys_early = false;
  /// Its kernel needs nothing of the launch before it, and waits for that only at its end. That one waits
  /// first, or is such a launch itself.
  bool beside_previous = false;
  /// Its kernel lets the next launch begin before it waits. So it is not the last of a dependent plan, and
  /// the next one reads nothing early.
  bool allows_next_early = false;
  std::vector<Argument> arguments;

  bool operator==(const Launch&) const = default;
};

/// An input of which a launch still reads while it writes the output. Where both are the same memory, it is
/// copied to the workspace before the first launch, and all launches read it there.
struct CopiedInput {
  Role role = Role::keys_in;    ///< keys_in or values_in
  std::uint64_t workspace = 0;  ///< bytes of the workspace before the copy
  std::uint64_t bytes = 0;

  bool operator==(const CopiedInput&) const = default;
};

/// Rows of an operand that launches take to lie one right behind the other. Where they do not, launches work
/// on a copy; what they write is copied back.
struct PackedRows {
  Role role = Role::keys_out;
  std::uint64_t elements = 0;  ///< of a row
  std::uint64_t rows = 0;
  std::uint64_t element_bytes = 0;

  bool operator==(const PackedRows&) const = default;
};

/// Launches in stream order. An empty plan sorts nothing (n < 2).
struct Plan {
  std::vector<KernelSource> kernels;
  std::vector<Launch> launches;
  /// Instead of the first launch, where keys_in is other memory: a kernel that does the same from keys_in to
  /// keys_out. Without it the first launch does so itself, or none can.
  std::optional<Launch> first_from_input;
  std::vector<CopiedInput> copied_in_place;
  std::vector<PackedRows> packed;
  std::uint64_t workspace_bytes = 0;
  bool out_of_place = false;  ///< reads keys_in once and writes keys_out; else keys_out must hold the input
  bool own_strides = false;   ///< finds the rows of each operand by its own stride; else all have one

  bool operator==(const Plan&) const = default;
};

}  // namespace bitune
