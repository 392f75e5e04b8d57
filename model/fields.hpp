#pragma once

/// \file
/// The fields of a value, visited one by one. A type says its fields once, in `visit_fields`; its text forms,
/// JSON, database columns, records and hash follow from that.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bitune/types.hpp"
#include "model/key_type.hpp"

namespace bitune {

/// Calls visit(name, field, age) for each field of the object, in the order in which its type lists them.
template <class Object, class Visit>
constexpr void for_each_field(Object& object, Visit&& visit) {
  std::remove_const_t<Object>::visit_fields(
      [&](std::string_view name, auto member, FieldAge age) { visit(name, object.*member, age); });
}

/// As above, with the field of a second object beside each: visit(name, field, other's field, age).
template <class Object, class Visit>
constexpr void for_each_field(Object& object, const std::remove_const_t<Object>& other, Visit&& visit) {
  std::remove_const_t<Object>::visit_fields([&](std::string_view name, auto member, FieldAge age) {
    visit(name, object.*member, other.*member, age);
  });
}

/// The names of a type's fields, in order.
template <class Object>
[[nodiscard]] std::vector<std::string> field_names() {
  std::vector<std::string> names;
  Object::visit_fields([&](std::string_view name, auto, FieldAge) { names.emplace_back(name); });
  return names;
}

/// A field as text: digits, a name, or the text itself. `true` and `false` for truth values.
template <class Field>
[[nodiscard]] std::string field_text(const Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    return field ? "true" : "false";
  } else if constexpr (std::is_integral_v<Field>) {
    return std::to_string(field);
  } else if constexpr (std::is_enum_v<Field>) {
    return std::string(name_of(field));
  } else {
    return field;
  }
}

/// Mixes all fields of an object into one word. The fields are integers and enumerations. Cheap: it is on the
/// path of every sort.
template <class Object>
[[nodiscard]] constexpr std::uint64_t hash_of_fields(const Object& object) noexcept {
  std::uint64_t hash = 0;
  for_each_field(object, [&hash](std::string_view, const auto& field, FieldAge) {
    // An odd factor loses nothing. The rotation brings the upper bits down for the next field.
    hash = (std::rotl(hash, 27) ^ static_cast<std::uint64_t>(field)) * 0x9e3779b97f4a7c15;
  });
  return hash ^ (hash >> 32);
}

}  // namespace bitune
