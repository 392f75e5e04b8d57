#pragma once

/// \file
/// Tables of described types: one column for each field, so that SQL lists no field. Private to the cache
/// room.

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "model/fields.hpp"
#include "model/trial.hpp"

namespace bitune::database {

/// A size as SQLite stores it. \throws Error (usage) from 2^63 on.
[[nodiscard]] std::int64_t stored_size(std::uint64_t size);

/// The column of a field. `key` and `order` are words of SQL, and so have other names there.
[[nodiscard]] inline std::string column_of(std::string_view field) {
  return field == "key" || field == "order" ? fmt::format("key_{}", field == "key" ? "type" : "order")
                                            : std::string(field);
}

/// "p.operation, p.key_type, ...": the columns of a type, each behind the prefix.
template <class Object>
[[nodiscard]] std::string column_list(std::string_view prefix = "") {
  std::string list;
  for (const std::string& field : field_names<Object>()) {
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", prefix, column_of(field));
  }
  return list;
}

/// "?, ?, ...": as many places as the type has columns.
template <class Object>
[[nodiscard]] std::string place_list() {
  std::string list;
  for (std::size_t i = 0; i < field_names<Object>().size(); ++i) list += list.empty() ? "?" : ", ?";
  return list;
}

/// "p.operation = ?1 AND p.key_type = ?2 ...", with places from `first` on.
template <class Object>
[[nodiscard]] std::string column_match(std::string_view prefix, int first) {
  std::string match;
  for (const std::string& field : field_names<Object>()) {
    match += fmt::format("{}{}{} = ?{}", match.empty() ? "" : " AND ", prefix, column_of(field), first++);
  }
  return match;
}

/// The lines of a CREATE TABLE that define the columns.
template <class Object>
[[nodiscard]] std::string column_definitions() {
  std::string lines;
  const Object object{};
  for_each_field(object, [&lines](std::string_view name, const auto& field, FieldAge) {
    using Field = std::decay_t<decltype(field)>;
    const std::string column = column_of(name);
    std::string type = "TEXT NOT NULL";
    if constexpr (std::is_same_v<Field, bool>) {
      type = fmt::format("INTEGER NOT NULL CHECK ({} IN (0, 1))", column);
    } else if constexpr (std::is_integral_v<Field> && std::is_unsigned_v<Field>) {
      type = fmt::format("INTEGER NOT NULL CHECK ({} >= 0)", column);
    } else if constexpr (std::is_integral_v<Field>) {
      type = "INTEGER NOT NULL";
    } else if constexpr (std::is_floating_point_v<Field>) {
      type = "REAL NOT NULL";
    }
    lines += fmt::format("  {} {},\n", column, type);
  });
  return lines;
}

/// What to select from an older table, in the order of the columns: the first fields by their names, and the
/// later ones, for which it has no column, as their defaults.
template <class Object>
[[nodiscard]] std::string columns_or_defaults() {
  std::string list;
  const Object object{};
  for_each_field(object, [&list](std::string_view name, const auto& field, FieldAge age) {
    std::string value = column_of(name);
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, bool>) {
      if (age == FieldAge::later) value = field ? "1" : "0";
    } else if constexpr (std::is_integral_v<Field>) {
      if (age == FieldAge::later) value = std::to_string(field);
    }
    list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
  });
  return list;
}

/// Binds a field to the place. \throws Error (usage) for sizes from 2^63 on
template <class Field>
void bind_field(SQLite::Statement& statement, int place, const Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    statement.bind(place, field ? 1 : 0);
  } else if constexpr (std::is_integral_v<Field> && std::is_unsigned_v<Field>) {
    statement.bind(place, stored_size(field));
  } else if constexpr (std::is_enum_v<Field>) {
    statement.bind(place, std::string(name_of(field)));
  } else {
    statement.bind(place, field);
  }
}

/// Binds all fields from place `first` on; returns the place behind them.
template <class Object>
int bind_fields(SQLite::Statement& statement, int first, const Object& object) {
  for_each_field(
      object, [&](std::string_view, const auto& field, FieldAge) { bind_field(statement, first++, field); });
  return first;
}

/// Reads one field. \throws Error (usage) for a name that does not exist
template <class Field>
void read_field(const SQLite::Column& column, Field& field) {
  if constexpr (std::is_same_v<Field, bool>) {
    field = column.getInt() != 0;
  } else if constexpr (std::is_integral_v<Field>) {
    field = static_cast<Field>(column.getInt64());
  } else if constexpr (std::is_floating_point_v<Field>) {
    field = column.getDouble();
  } else if constexpr (std::is_enum_v<Field>) {
    parse_name(column.getString(), field);
  } else {
    field = column.getString();
  }
}

/// Reads all fields from column `first` on, and moves `first` behind them.
template <class Object>
void read_fields(const SQLite::Statement& row, int& first, Object& object) {
  for_each_field(object,
                 [&](std::string_view, auto& field, FieldAge) { read_field(row.getColumn(first++), field); });
}

}  // namespace bitune::database
