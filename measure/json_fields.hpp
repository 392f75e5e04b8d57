#pragma once

/// \file
/// JSON from described types and back, with errors that name the member.

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bitune/error.hpp"
#include "measure/json.hpp"
#include "model/fields.hpp"

namespace bitune::json_fields {

/// \throws Error (input) if there is no such member
inline const Json& member(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) {
    throw Error(ErrorCode::input, fmt::format("member '{}' is missing in the JSON object", name));
  }
  return json.at(name);
}

/// Whether the value is a T, of numbers one that a T holds: the library would cut off what is too large.
template <class T>
bool is_a(const Json& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
    return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  }
  return true;
}

/// The member as a T. \throws Error (input) if it is missing or of another type
template <class T>
T get(const Json& json, const char* name) {
  const Json& value = member(json, name);
  try {
    if (is_a<T>(value)) return value.get<T>();
  } catch (const Json::exception&) {  // as below
  }
  throw Error(ErrorCode::input, fmt::format("member '{}' of the JSON object is not of the right type: {}",
                                            name, line_of(value)));
}

/// All fields of a described type as an object, in their order; enumerations by name.
template <class Object>
Json json_of_fields(const Object& object) {
  Json json = Json::object();
  for_each_field(object, [&json](std::string_view name, const auto& field, FieldAge) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>) {
      json[std::string(name)] = name_of(field);
    } else {
      json[std::string(name)] = field;
    }
  });
  return json;
}

/// Reads what `json_of_fields` writes. A later field may be missing: then it has its default.
/// \throws Error (input, usage)
template <class Object>
Object fields_from(const Json& json) {
  Object object;
  for_each_field(object, [&json](std::string_view field_name, auto& field, FieldAge age) {
    const std::string name(field_name);
    if (age == FieldAge::later && json.is_object() && !json.contains(name)) return;
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      parse_name(get<std::string>(json, name.c_str()), field);
    } else {
      field = get<Field>(json, name.c_str());
    }
  });
  return object;
}

}  // namespace bitune::json_fields
