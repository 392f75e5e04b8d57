#pragma once

/// \file
/// What the variants share that give the first k keys of each row.

#include <string_view>
#include <type_traits>

#include "model/device_info.hpp"
#include "model/search_space.hpp"
#include "runtime/variants/plan_builder.hpp"

namespace bitune {

/// Whether it is a top_k of an array or of rows, with values or with indices, or of keys alone.
[[nodiscard]] bool is_top_k(const Problem& problem) noexcept;

/// The same of segments.
[[nodiscard]] bool is_segmented_top_k(const Problem& problem) noexcept;

/// A kernel that gives the first keys of rows. It takes where keys go and come from, values likewise, where
/// indices go, and the rows' lengths, each with its stride; then what is its own.
template <class... Own>
using FirstKeysKernel =
    Kernel<Address, OperandStride, Address, OperandStride, Address, OperandStride, Address, OperandStride,
           Address, OperandStride, Address, OperandStride, Own...>;

/// Adds a launch of it.
template <class... Own>
void launch_first_keys(PlanBuilder& builder, const FirstKeysKernel<Own...>& kernel,
                       std::string_view template_arguments, const LaunchShape& shape,
                       std::type_identity_t<Own>... own) {
  builder.launch(kernel, template_arguments, shape, address_of(Role::keys_out), OperandStride{Role::keys_out},
                 address_of(Role::keys_in), OperandStride{Role::keys_in}, address_of(Role::values_out),
                 OperandStride{Role::values_out}, address_of(Role::values_in), OperandStride{Role::values_in},
                 address_of(Role::indices_out), OperandStride{Role::indices_out}, address_of(Role::lengths),
                 OperandStride{Role::lengths}, own...);
}

}  // namespace bitune
