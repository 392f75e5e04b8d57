#pragma once

/// \file
/// Reading members of JSON objects, with errors that name the member.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bitune/error.hpp"
#include "measure/json.hpp"

namespace bitune::json_reading {

/// \throws Error (input) if there is no such member
inline const Json& member(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) {
    throw Error(ErrorCode::input, fmt::format("member '{}' is missing in the JSON object", name));
  }
  return json.at(name);
}

/// The member as a T. \throws Error (input) if it is missing or of another type
template <class T>
T get(const Json& json, const char* name) {
  const Json& value = member(json, name);
  try {
    return value.get<T>();
  } catch (const Json::exception&) {
    throw Error(ErrorCode::input, fmt::format("member '{}' of the JSON object is not of the right type: {}",
                                              name, line_of(value)));
  }
}

}  // namespace bitune::json_reading
