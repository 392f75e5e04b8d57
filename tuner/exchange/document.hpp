#pragma once

/// \file
/// JSON documents from strangers, read within bounds. Private to the exchange formats.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/exchange/recordings.hpp"

namespace bitune::exchange {

/// A JSON value that keeps its numbers as they are written, since a time in milliseconds becomes microseconds
/// without rounding twice. Its accessors throw Error (input) with a clause that says what is wrong.
class Value {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object };

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is(Kind kind) const noexcept { return kind_ == kind; }

  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::string& text() const;
  /// An integer within bounds. One that is written as a text ("32") counts, as KTT writes them so.
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
  /// A finite number that is not negative, times 10^decimal_shift, rounded once.
  [[nodiscard]] double amount(int decimal_shift = 0) const;

  /// Items of a list, or values of an object in the order of `names`.
  [[nodiscard]] const std::vector<Value>& items() const;
  /// Names of an object's members, each once.
  [[nodiscard]] const std::vector<std::string>& names() const;

  /// A member; nullptr if there is none, or this is no object.
  [[nodiscard]] const Value* find(std::string_view name) const noexcept;
  [[nodiscard]] const Value& at(std::string_view name) const;

  /// The value for people, cut to a few words: "'abc'", "a list".
  [[nodiscard]] std::string shown() const;

 private:
  friend class DocumentBuilder;
  Kind kind_ = Kind::null;
  bool boolean_ = false;
  std::string text_;  // of a text, or a number as it is written
  std::vector<Value> items_;
  std::vector<std::string> names_;
};

/// Parses a document. One that lacks its last two braces, as an open cache does, is completed.
/// \throws Error (input) with a clause that says where and why
[[nodiscard]] Value parse_document(std::string_view text, const ReadLimits& limits);

/// The text of a file, unpacked if it is compressed by gzip. \throws Error (io, input)
[[nodiscard]] std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace bitune::exchange
