#pragma once

/// \file
/// The structs of the C interface, as the library's own types.

#include <cstring>
#include <string_view>
#include <type_traits>

#include "bitune/bitune.h"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune::capi {

/// \throws Error (usage) that names the struct if its size is none, or what a newer caller has set in it is
/// not known here
void check_size(const void* given, std::size_t size, std::size_t known, std::string_view name);

/// A struct of an older or newer caller. What it lacks is as `defaults` has it. \throws Error (usage)
template <class Struct>
[[nodiscard]] Struct read_struct(const Struct& given, const Struct& defaults, std::string_view name) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (given.size == sizeof(Struct)) return given;
  check_size(&given, given.size, sizeof(Struct), name);
  Struct read = defaults;
  std::memcpy(&read, &given, given.size < sizeof(Struct) ? given.size : sizeof(Struct));
  read.size = sizeof(Struct);
  return read;
}

/// \throws Error (usage) for a null pointer, and for numbers that mean nothing
[[nodiscard]] Problem problem_from(const bitune_problem* given);

/// \throws Error (usage) for a null pointer or a wrong size
[[nodiscard]] Operands operands_from(const bitune_operands* given);

/// "" for null.
[[nodiscard]] inline const char* text_or_empty(const char* text) noexcept {
  return text == nullptr ? "" : text;
}

}  // namespace bitune::capi
