#include "model/key_type.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

#include "bitune/error.hpp"
#include "model/operation.hpp"

namespace bitune {
namespace {

template <class T>
struct Name {
  std::string_view text;
  T value;
};

// The first name of a value is its canonical one; the others are synonyms.
constexpr Name<KeyType> key_type_names[] = {
    {"u8", KeyType::u8},         {"i8", KeyType::i8},       {"u16", KeyType::u16},
    {"i16", KeyType::i16},       {"f16", KeyType::f16},     {"bf16", KeyType::bf16},
    {"u32", KeyType::u32},       {"i32", KeyType::i32},     {"f32", KeyType::f32},
    {"u64", KeyType::u64},       {"i64", KeyType::i64},     {"f64", KeyType::f64},
    {"uint8", KeyType::u8},      {"int8", KeyType::i8},     {"uint16", KeyType::u16},
    {"int16", KeyType::i16},     {"float16", KeyType::f16}, {"half", KeyType::f16},
    {"bfloat16", KeyType::bf16}, {"uint32", KeyType::u32},  {"int32", KeyType::i32},
    {"float32", KeyType::f32},   {"float", KeyType::f32},   {"uint64", KeyType::u64},
    {"int64", KeyType::i64},     {"float64", KeyType::f64}, {"double", KeyType::f64}};
constexpr Name<Order> order_names[] = {{"ascending", Order::ascending},
                                       {"descending", Order::descending},
                                       {"asc", Order::ascending},
                                       {"desc", Order::descending}};
constexpr auto names_of_operations = [] {
  std::array<Name<Operation>, operation_facts.size()> names = {};
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = {operation_facts[i].name, operation_facts[i].operation};
  }
  return names;
}();
constexpr Name<ShapeKind> shape_kind_names[] = {
    {"array", ShapeKind::array}, {"rows", ShapeKind::rows}, {"segments", ShapeKind::segments}};

template <class T>
std::string_view name_in(std::span<const Name<T>> names, T value) noexcept {
  for (const Name<T>& name : names) {
    if (name.value == value) return name.text;
  }
  return "?";
}

template <class T>
T parse_in(std::span<const Name<T>> names, std::string_view what, std::string_view text) {
  for (const Name<T>& name : names) {
    if (name.text == text) return name.value;
  }
  std::string known;
  for (const Name<T>& name : names) {
    if (name_in(names, name.value) != name.text) continue;
    known += (known.empty() ? "" : ", ") + std::string(name.text);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' is not {}; use one of {}", text, what, known));
}

}  // namespace

std::size_t size_of(KeyType type) noexcept {
  switch (type) {
    case KeyType::u8:
    case KeyType::i8:
      return 1;
    case KeyType::u16:
    case KeyType::i16:
    case KeyType::f16:
    case KeyType::bf16:
      return 2;
    case KeyType::u32:
    case KeyType::i32:
    case KeyType::f32:
      return 4;
    case KeyType::u64:
    case KeyType::i64:
    case KeyType::f64:
      break;
  }
  return 8;
}

bool is_floating_point(KeyType type) noexcept {
  return type == KeyType::f16 || type == KeyType::bf16 || type == KeyType::f32 || type == KeyType::f64;
}

bool is_signed_integer(KeyType type) noexcept {
  return type == KeyType::i8 || type == KeyType::i16 || type == KeyType::i32 || type == KeyType::i64;
}

std::string_view name_of(KeyType type) noexcept { return name_in<KeyType>(key_type_names, type); }
std::string_view name_of(Order order) noexcept { return name_in<Order>(order_names, order); }
std::string_view name_of(Operation operation) noexcept {
  return name_in<Operation>(names_of_operations, operation);
}
std::string_view name_of(ShapeKind kind) noexcept { return name_in<ShapeKind>(shape_kind_names, kind); }

KeyType parse_key_type(std::string_view text) {
  return parse_in<KeyType>(key_type_names, "a key type", text);
}
Order parse_order(std::string_view text) { return parse_in<Order>(order_names, "an order", text); }
Operation parse_operation(std::string_view text) {
  return parse_in<Operation>(names_of_operations, "an operation", text);
}
ShapeKind parse_shape_kind(std::string_view text) {
  return parse_in<ShapeKind>(shape_kind_names, "a shape", text);
}

}  // namespace bitune
