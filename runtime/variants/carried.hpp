#pragma once

/// \file
/// What the variants share that sort keys with values or indices, and those of keys with their places
/// (kernels/network/placed_word.cuh).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune {

/// Whether values or indices, but not both, go with the keys.
[[nodiscard]] bool carries_one_thing(const Problem& problem) noexcept;

/// A kernel that sorts rows with what they carry. It takes where keys go and come from, values likewise, and
/// where indices go, each with its stride; then what is its own.
template <class... Own>
using CarriedKernel = Kernel<Address, OperandStride, Address, OperandStride, Address, OperandStride, Address,
                             OperandStride, Address, OperandStride, Own...>;

/// Adds a launch of it.
template <class... Own>
void launch_carrying(PlanBuilder& builder, const CarriedKernel<Own...>& kernel,
                     std::string_view template_arguments, const LaunchShape& shape,
                     std::type_identity_t<Own>... own) {
  builder.launch(kernel, template_arguments, shape, address_of(Role::keys_out), OperandStride{Role::keys_out},
                 address_of(Role::keys_in), OperandStride{Role::keys_in}, address_of(Role::values_out),
                 OperandStride{Role::values_out}, address_of(Role::values_in), OperandStride{Role::values_in},
                 address_of(Role::indices_out), OperandStride{Role::indices_out}, own...);
}

/// The fewest items a thread, of these in order, with which so many threads hold the row; the most there are,
/// if that is too few.
[[nodiscard]] std::int64_t fewest_items(std::span<const std::int64_t> items, const Problem& problem,
                                        std::int64_t threads);

/// Bytes of a key with its place in a register or in shared memory.
[[nodiscard]] std::int64_t placed_item_bytes(KeyType key) noexcept;

/// The name of the kernels' PlacedForm.
[[nodiscard]] std::string_view placed_form(KeyType key, bool as_double) noexcept;

/// The same for items with a place of 30 bits or more, of which there is no form in 32 bits.
[[nodiscard]] std::int64_t merged_item_bytes(KeyType key) noexcept;
[[nodiscard]] std::int64_t merged_item_registers(KeyType key) noexcept;

/// The first template arguments of a kernel of such items: codec and form.
[[nodiscard]] std::string merged_arguments(const Problem& problem, const Configuration& c);

/// Whether keys of this width are compared as floating-point numbers by default: 1 on devices with as many
/// units for 64 bits as for 32.
[[nodiscard]] std::int64_t prefers_doubles(KeyType key, const DeviceInfo& device) noexcept;

/// The same, but 0 where rows are too long for it.
[[nodiscard]] std::int64_t prefers_doubles(const Problem& problem, const DeviceInfo& device) noexcept;

/// compare_as_double, which the restrictions below bound.
[[nodiscard]] Parameter compared_as_double();

/// compare_as_double is 0 for rows so long that a place has more than 30 bits.
[[nodiscard]] Restriction places_fit_doubles();

/// compare_as_double is 1 for keys of 32 bits alone.
[[nodiscard]] Restriction placed_words_may_be_doubles();

/// Registers of a key with its place.
[[nodiscard]] std::int64_t placed_item_registers(KeyType key) noexcept;

/// items_per_thread items, with what else a thread holds that sorts them, fit the registers.
[[nodiscard]] Restriction placed_items_fit_registers();

}  // namespace bitune
