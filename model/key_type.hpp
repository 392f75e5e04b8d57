#pragma once

/// \file
/// Facts about key types, and the text forms of the words of a problem.

#include <array>
#include <cstddef>
#include <string_view>

#include "bitune/types.hpp"

namespace bitune {

/// All twelve key types, narrowest first.
inline constexpr std::array<KeyType, 12> all_key_types = {
    KeyType::u8,  KeyType::i8,  KeyType::u16, KeyType::i16, KeyType::f16, KeyType::bf16,
    KeyType::u32, KeyType::i32, KeyType::f32, KeyType::u64, KeyType::i64, KeyType::f64};

/// Size of one key in bytes: 1, 2, 4 or 8.
[[nodiscard]] std::size_t size_of(KeyType type) noexcept;
[[nodiscard]] bool is_floating_point(KeyType type) noexcept;
[[nodiscard]] bool is_signed_integer(KeyType type) noexcept;

[[nodiscard]] std::string_view name_of(KeyType type) noexcept;
[[nodiscard]] std::string_view name_of(Order order) noexcept;
[[nodiscard]] std::string_view name_of(Operation operation) noexcept;
[[nodiscard]] std::string_view name_of(ShapeKind kind) noexcept;

/// Reads a name as `name_of` writes it; common synonyms ("float32", "uint8", "asc") are taken too.
/// \throws Error (usage) that lists the names that exist.
[[nodiscard]] KeyType parse_key_type(std::string_view text);
[[nodiscard]] Order parse_order(std::string_view text);
[[nodiscard]] Operation parse_operation(std::string_view text);
[[nodiscard]] ShapeKind parse_shape_kind(std::string_view text);

/// The same by the type that is wanted.
inline void parse_name(std::string_view text, KeyType& type) { type = parse_key_type(text); }
inline void parse_name(std::string_view text, Order& order) { order = parse_order(text); }
inline void parse_name(std::string_view text, Operation& operation) { operation = parse_operation(text); }

}  // namespace bitune
