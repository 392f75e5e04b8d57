#pragma once

/// \file
/// Builds plans. What a kernel takes is a part of its type, so that no launch can give it too few arguments,
/// or an argument of another kind.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bitune/types.hpp"
#include "model/configuration.hpp"
#include "model/plan.hpp"

namespace bitune {

// The parameters that a kernel can have. Each holds the argument that a launch gives it.

/// A pointer into an operand of the call: to the keys, the input or a place in the workspace.
struct Address {
  Argument argument;

  bool operator==(const Address&) const = default;
};

/// A u64: keys from the beginning of one row to the next, in the keys as in the input.
struct RowStride {};

/// A u64: elements from the beginning of one row to the next, in one operand.
struct OperandStride {
  Role role;
};

/// A u64: how many keys the call has in all. `planned`: most of the calls that the plan is for.
struct CallKeys {
  std::uint64_t planned;
};

/// A u64: how many segments the call has.
struct CallSegments {
  std::uint64_t planned;
};

/// A u32: equal_length() of the call. `planned`: of the problem that the plan is for.
struct EqualLength {
  std::uint32_t planned;
};

/// A u32. A plan that gives it a number of more bits is refused.
struct U32 {
  std::uint64_t value;

  template <std::unsigned_integral Number>
  constexpr U32(Number number) : value(number) {}  // NOLINT(google-explicit-constructor): a call reads as one
};

/// A u64.
struct U64 {
  std::uint64_t value;

  template <std::unsigned_integral Number>
  constexpr U64(Number number) : value(number) {}  // NOLINT(google-explicit-constructor): a call reads as one
};

/// A kernel template: its header, its name, and what its parameters are. The emulated device compares them
/// with what it compiles.
template <class... Parameters>
struct Kernel {
  std::string_view header;
  std::string_view name;
  bool reads_keys_early = false;   ///< Launch::reads_keys_early
  bool allows_next_early = false;  ///< Launch::allows_next_early
};

/// A kernel whose last two parameters say where rows are, besides its own `Parameters`: a RowStride, and a
/// U32, the blocks of a row.
template <class... Parameters>
struct RowsKernel {
  std::string_view header;
  std::string_view name;
  bool allows_next_early = false;  ///< Launch::allows_next_early
};

/// How a kernel is launched.
struct LaunchShape {
  std::uint64_t blocks = 1;  ///< of a row, where a RowsKernel is launched
  std::uint32_t threads = 1;
  std::uint64_t shared_bytes = 0;
  std::uint32_t cluster = 1;
  std::uint32_t segments_per_block = 0;  ///< Launch::segments_per_block; `blocks` are for what is planned
  /// As in Launch, where the template arguments decide that.
  bool beside_previous = false;
  bool allows_next_early = false;
};

/// A cluster of `cluster_size` blocks of `block_size_x` threads for each of so many rows.
[[nodiscard]] LaunchShape cluster_for_each(std::uint64_t rows, const Configuration& c,
                                           std::int64_t shared_bytes);

/// Builds a plan: adds each kernel once, and launches in order. Pure arithmetic, no device.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::uint64_t rows = 1) : rows_(rows) {}

  /// Adds a launch of the kernel with these template arguments. \throws Error (usage) if there are more than
  /// 2^31 - 1 blocks, or if a number does not fit its parameter.
  template <class... Parameters>
  void launch(const Kernel<Parameters...>& kernel, std::string_view template_arguments,
              const LaunchShape& shape, std::type_identity_t<Parameters>... arguments) {
    add(source_of(kernel.header, kernel.name, template_arguments), shape, {argument_of(arguments)...});
    plan_.launches.back().reads_keys_early = kernel.reads_keys_early;
    plan_.launches.back().beside_previous = shape.beside_previous;
    plan_.launches.back().allows_next_early = kernel.allows_next_early || shape.allows_next_early;
  }

  /// Adds a launch for all rows, each of which takes shape.blocks blocks.
  template <class... Parameters>
  void launch(const RowsKernel<Parameters...>& kernel, std::string_view template_arguments,
              const LaunchShape& shape, std::type_identity_t<Parameters>... arguments) {
    add_rows(source_of(kernel.header, kernel.name, template_arguments), shape, {argument_of(arguments)...});
    plan_.launches.back().allows_next_early = kernel.allows_next_early;
  }

  /// Adds the launch that takes the place of the first one where the input is other memory. It is given the
  /// same, and where the input is.
  template <class... Parameters>
  void first_from_input(const RowsKernel<Parameters...>& kernel, std::string_view template_arguments,
                        const LaunchShape& shape, std::type_identity_t<Parameters>... arguments) {
    add_rows(source_of(kernel.header, kernel.name, template_arguments), shape, {argument_of(arguments)...});
    plan_.first_from_input = std::move(plan_.launches.back());
    plan_.launches.pop_back();
    plan_.out_of_place = true;
  }

  /// Adds the launches of another plan. What it does with these operands it does in other memory, and it has
  /// workspace of its own.
  void append(const Plan& part, std::initializer_list<std::pair<Role, Address>> moved);

  /// So many bytes more of workspace, aligned to 256 as device memory is, behind what was asked for before.
  [[nodiscard]] Address workspace(std::uint64_t bytes);

  /// Lets launches read this input, of so many bytes, while they write the output: where a call sorts in
  /// place, they read a copy.
  void read_while_written(Role input, std::uint64_t bytes);

  /// Lets launches take the rows of an operand to lie one right behind the other.
  void pack(Role role, const Shape& shape, std::uint64_t element_bytes);

  /// The plan; `dependent`: each launch may begin while the one before it ends.
  ///
  /// A kernel waits for the launch before it, and lets the next one begin only then (begin_launch in
  /// kernels/network/launch.cuh; the emulated device holds it). So when the next launch begins, all is done
  /// but the one right before it: what the neighbours of a sort rely on. Kernels that do otherwise say so.
  /// One that lets the next launch begin early is not the last. One that reads keys early has a launch before
  /// it that does not, and none before it that writes keys. \throws std::logic_error where that does not hold
  [[nodiscard]] Plan take(bool dependent = false);

 private:
  static KernelSource source_of(std::string_view header, std::string_view name,
                                std::string_view template_arguments);
  static Argument argument_of(Address address) { return address.argument; }
  static Argument argument_of(RowStride) { return Argument::stride_of(Role::keys_out); }
  Argument argument_of(OperandStride stride) {
    plan_.own_strides = true;
    return Argument::stride_of(stride.role);
  }
  static Argument argument_of(CallKeys keys) { return Argument::keys_of_call(keys.planned); }
  static Argument argument_of(CallSegments segments) { return Argument::segments_of_call(segments.planned); }
  static Argument argument_of(EqualLength length) { return Argument::equal_length_of_call(length.planned); }
  static Argument argument_of(U64 number) { return Argument::number64(number.value); }
  static Argument argument_of(U32 number);
  void add(const KernelSource& kernel, const LaunchShape& shape, std::vector<Argument> arguments);
  void add_rows(const KernelSource& kernel, LaunchShape shape, std::vector<Argument> arguments);

  std::uint64_t rows_;
  Plan plan_;
};

/// Where an operand begins.
[[nodiscard]] inline Address address_of(Role role) { return {Argument::pointer_to(role)}; }

/// Where the sorted keys go.
[[nodiscard]] inline Address keys_address() { return address_of(Role::keys_out); }

/// Where the keys come from.
[[nodiscard]] inline Address input_address() { return address_of(Role::keys_in); }

/// A number of a configuration or a layout, which is not negative.
[[nodiscard]] constexpr std::uint64_t as_count(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(value);
}

/// How many parts of `size`, of which the last one may be shorter, n has.
[[nodiscard]] constexpr std::uint64_t parts_of(std::uint64_t n, std::uint64_t size) noexcept {
  return (n + size - 1) / size;
}

/// Smallest k with 2^k >= n; 0 for n < 2.
[[nodiscard]] int ceil_log2(std::uint64_t n) noexcept;

}  // namespace bitune
