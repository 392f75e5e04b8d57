#pragma once

/// \file
/// The words of a sorting problem. Plain values: copyable, comparable, no ownership, no CUDA.

#include <compare>
#include <cstddef>
#include <cstdint>

namespace bitune {

/// Element types that can be sorted. Floating point orders as NumPy does: -0 before +0, every NaN last.
enum class KeyType : std::uint8_t { u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64 };

/// Direction of a sort. `descending` is the exact reverse of `ascending`: NaN comes first there.
enum class Order : std::uint8_t { ascending, descending };

/// What is done to the keys. Only `sort` is built; the others hold their place in problems and the database.
enum class Operation : std::uint8_t { sort, sort_pairs, argsort };

/// Type of the payload that travels with each key.
enum class ValueType : std::uint8_t { none, u32, u64 };

/// What is to be sorted: `rows` independent arrays of `n` keys each (one array: `rows` = 1).
struct Problem {
  Operation operation = Operation::sort;
  KeyType key = KeyType::u32;
  ValueType value = ValueType::none;
  Order order = Order::ascending;
  std::uint64_t n = 0;
  std::uint64_t rows = 1;

  auto operator<=>(const Problem&) const = default;
};

}  // namespace bitune
