#pragma once

/// \file
/// The words of a sorting problem. Plain values: copyable, comparable, no ownership, no CUDA.

#include <cstddef>
#include <cstdint>

// C++17 is enough; it compares for equality alone.
#if defined(__cpp_impl_three_way_comparison) && __cplusplus >= 202002L
#define BITUNE_HAS_THREE_WAY 1
#include <compare>
#else
#define BITUNE_HAS_THREE_WAY 0
#endif

namespace bitune {

/// Element types that can be sorted. Floating point orders as in NumPy, every NaN last; but -0, which NumPy
/// takes for equal to +0, is before +0.
enum class KeyType : std::uint8_t { u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64 };

/// Direction of a sort. `descending` is the exact reverse of `ascending`: NaN comes first there.
enum class Order : std::uint8_t { ascending, descending };

/// What is done to the keys.
///
/// Where values or indices travel, all NaNs are equal keys, and each keeps its bits; -0 and +0 are two keys.
enum class Operation : std::uint8_t {
  sort,        ///< writes keys_out; with index_bytes also indices_out, where each sorted key stood
  sort_pairs,  ///< writes keys_out and values_out: a value of value_bytes travels with each key
  argsort,     ///< writes indices_out alone, of index_bytes each; the keys stay as they are
  top_k,  ///< writes the first k keys of each row in order, with value_bytes also the value of each, with
          ///< index_bytes also where each stood; of equal keys those with the lowest index
};

/// How keys lie in memory: one array, rows of one length, or segments of any lengths.
enum class ShapeKind : std::uint8_t { array, rows, segments };

/// Since when a field is there. A `later` field may be missing in what an older bitune wrote: then it has its
/// default. It never changes by which digest something is known.
enum class FieldAge : std::uint8_t { first, later };

#if !BITUNE_HAS_THREE_WAY
/// Whether all fields are equal.
template <class Type>
bool same_fields(const Type& a, const Type& b) noexcept {
  bool same = true;
  Type::visit_fields([&](const char*, auto member, FieldAge) { same = same && a.*member == b.*member; });
  return same;
}
#endif

/// What is done: all of a problem but where the keys lie.
struct SortSpec {
  Operation operation = Operation::sort;
  KeyType key = KeyType::u32;
  std::uint32_t value_bytes = 0;  ///< of the value that travels with each key: 0 (none), 1, 2, 4, 8 or 16
  std::uint32_t index_bytes = 0;  ///< of each index that is written: 0 (none), 4 or 8
  Order order = Order::ascending;
  bool stable = false;  ///< equal keys stay in the order of the input
  /// How many keys of each row top_k gives, from 1 to n (of segments: from 1 on); else 0.
  std::uint64_t k = 0;

#if BITUNE_HAS_THREE_WAY
  auto operator<=>(const SortSpec&) const = default;
#else
  bool operator==(const SortSpec& other) const noexcept { return same_fields(*this, other); }
  bool operator!=(const SortSpec& other) const noexcept { return !same_fields(*this, other); }
#endif

  /// Calls visit(name, member, age) for each field. Text, JSON, database, hash and records follow from it.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("operation", &SortSpec::operation, FieldAge::first);
    visit("key", &SortSpec::key, FieldAge::first);
    visit("value_bytes", &SortSpec::value_bytes, FieldAge::later);
    visit("index_bytes", &SortSpec::index_bytes, FieldAge::later);
    visit("order", &SortSpec::order, FieldAge::first);
    visit("stable", &SortSpec::stable, FieldAge::later);
    visit("k", &SortSpec::k, FieldAge::later);
  }
};

/// How the keys lie: `rows` arrays of `n` keys each (one array: `rows` = 1), or segments.
struct Shape {
  std::uint64_t n = 0;     ///< keys of the array or of each row; of segments: keys in all
  std::uint64_t rows = 1;  ///< rows, or segments
  bool ragged = false;     ///< the rows have lengths of their own: they are segments

#if BITUNE_HAS_THREE_WAY
  auto operator<=>(const Shape&) const = default;
#else
  bool operator==(const Shape& other) const noexcept { return same_fields(*this, other); }
  bool operator!=(const Shape& other) const noexcept { return !same_fields(*this, other); }
#endif

  [[nodiscard]] constexpr ShapeKind kind() const noexcept {
    return ragged ? ShapeKind::segments : rows == 1 ? ShapeKind::array : ShapeKind::rows;
  }

  /// As SortSpec::visit_fields.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    visit("n", &Shape::n, FieldAge::first);
    visit("rows", &Shape::rows, FieldAge::first);
    visit("ragged", &Shape::ragged, FieldAge::later);
  }
};

/// What one call is asked to do, exactly: Problem{{{.key = KeyType::f32}, {}}, {{}, {.n = 1000}}}.
struct Problem : SortSpec, Shape {
#if BITUNE_HAS_THREE_WAY
  auto operator<=>(const Problem&) const = default;
#else
  bool operator==(const Problem& other) const noexcept { return same_fields(*this, other); }
  bool operator!=(const Problem& other) const noexcept { return !same_fields(*this, other); }
#endif

  /// All fields of both.
  template <class Visit>
  static constexpr void visit_fields(Visit&& visit) {
    SortSpec::visit_fields(visit);
    Shape::visit_fields(visit);
  }
};

}  // namespace bitune
