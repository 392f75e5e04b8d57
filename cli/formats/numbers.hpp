#pragma once

/// \file
/// Texts of numbers as keys.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/formats/key_array.hpp"
#include "cli/formats/read_limit.hpp"

namespace bitune::cli {

/// Takes the text of a number and the line that it is in, from 1 on; false: no more are wanted.
using NumberVisitor = std::function<bool(std::string_view text, std::uint64_t line)>;

/// Numbers that can be gone through several times.
struct NumberSource {
  std::string name;         ///< for messages: "f.txt", or "f.csv, column 'price'"
  std::uint64_t count = 0;  ///< how many there are
  /// What a message adds about a text in this line that is no number: "; ...", or nothing.
  std::function<std::string(std::uint64_t line)> hint;
  std::function<void(const NumberVisitor&)> visit;
};

/// Makes a list of keys of all numbers. Of a type that is given, a number is rounded to the nearest one.
/// Without a type the keys are i64 if all are integers that fit; else u64, if they fit that; else f64. Then
/// nothing is lost without a word: an integer that f64 does not hold, and a number that f64 would make 0, are
/// refused.
///
/// The bytes of the keys are checked against `limit`, with `taken` bytes that are there already.
/// \throws Error (input) with the line: no number, a fraction or NaN where integers are due, out of range
[[nodiscard]] KeyArray parse_numbers(const NumberSource& source, std::optional<KeyType> type,
                                     const ReadLimit& limit, std::uint64_t taken);

/// A text as a message shows it: short, and without control characters.
[[nodiscard]] std::string shown(std::string_view text);

/// Without blanks and tabs around it, and without a carriage return.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Calls `use` with a value of the C++ type that carries a key type in text: 16-bit floats travel as double.
template <class Use>
void with_number_of(KeyType type, Use&& use) {
  switch (type) {
    case KeyType::u8:
      return use(std::uint8_t{});
    case KeyType::i8:
      return use(std::int8_t{});
    case KeyType::u16:
      return use(std::uint16_t{});
    case KeyType::i16:
      return use(std::int16_t{});
    case KeyType::u32:
      return use(std::uint32_t{});
    case KeyType::i32:
      return use(std::int32_t{});
    case KeyType::f32:
      return use(float{});
    case KeyType::u64:
      return use(std::uint64_t{});
    case KeyType::i64:
      return use(std::int64_t{});
    case KeyType::f16:
    case KeyType::bf16:
    case KeyType::f64:
      return use(double{});
  }
}

}  // namespace bitune::cli
