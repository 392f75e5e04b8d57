#include "cli/formats/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "bitune/error.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {
namespace {

constexpr std::array<std::pair<KeyType, std::string_view>, 12> descrs = {{{KeyType::u8, "|u1"},
                                                                          {KeyType::i8, "|i1"},
                                                                          {KeyType::u16, "<u2"},
                                                                          {KeyType::i16, "<i2"},
                                                                          {KeyType::f16, "<f2"},
                                                                          {KeyType::bf16, "<V2"},
                                                                          {KeyType::u32, "<u4"},
                                                                          {KeyType::i32, "<i4"},
                                                                          {KeyType::f32, "<f4"},
                                                                          {KeyType::u64, "<u8"},
                                                                          {KeyType::i64, "<i8"},
                                                                          {KeyType::f64, "<f8"}}};

/// Recursive descent over the few Python literals that a header may hold.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file, bool utf8)
      : rest_(text), file_(file), utf8_(utf8) {}

  NpyHeader parse() {
    NpyHeader header;
    header.utf8 = utf8_;
    std::optional<bool> order;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && header.descr.empty()) {
        header.descr = descr(header.fields);
      } else if (key == "fortran_order" && !order) {
        order = boolean();
      } else if (key == "shape" && !has_shape) {
        header.shape = tuple();
        has_shape = true;
      } else {
        fail(fmt::format("its header has an unexpected entry '{}'", printable(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) {
      fail("its header has text after the dictionary");
    }
    if (header.descr.empty() || !order || !has_shape) {
      fail("its header lacks descr, fortran_order or shape");
    }
    header.fortran_order = *order;
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorCode::input, fmt::format("{} is not a sound .npy file: {}", file_, what));
  }

  static std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, 32)) {
      result += c >= ' ' && c <= '~' ? c : '?';
    }
    return result;
  }

  void skip_blanks() {
    const auto begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!take(c)) {
      fail(fmt::format("its header has {} where '{}' is expected",
                       rest_.empty() ? "its end" : fmt::format("'{}'", printable(rest_.substr(0, 1))), c));
    }
  }

  std::string string() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') {
      fail("its header has no quoted string where one is expected");
    }
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) {
      fail("its header has a string without an end");
    }
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  std::string descr(std::vector<NpyField>& fields) {
    skip_blanks();
    if (rest_.starts_with('[')) {
      const std::string_view before = rest_;
      static_cast<void>(field_list(fields, 1));
      if (fields.empty()) fail("its records have no fields");
      return std::string(before.substr(0, before.size() - rest_.size()));
    }
    std::string value = string();
    if (value.empty()) {
      fail("its descr is empty");
    }
    return value;
  }

  /// Reads [(name, type), (name, type, shape), ...], where a name may be (title, name), and a type such a
  /// list. Returns the bytes of a record.
  std::uint64_t field_list(std::vector<NpyField>& fields, int depth) {
    constexpr int deepest = 32;
    if (depth > deepest) fail("its fields are nested too deep");
    std::uint64_t offset = 0;
    expect('[');
    while (!take(']')) {
      NpyField field;
      expect('(');
      if (take('(')) {
        static_cast<void>(string());
        expect(',');
        field.name = name();
        expect(')');
      } else {
        field.name = name();
      }
      expect(',');
      skip_blanks();
      if (std::vector<NpyField> nested; rest_.starts_with('[')) {
        field.bytes = field_list(nested, depth + 1);
      } else {
        field.descr = string();
        field.bytes = element_bytes_of_descr(field.descr, file_);
      }
      if (take(',')) {
        skip_blanks();
        if (!rest_.starts_with(')')) {
          field.descr.clear();
          for (const std::uint64_t extent : tuple()) field.bytes = limited(field.bytes, extent);
          static_cast<void>(take(','));
        }
      }
      expect(')');
      field.offset = offset;
      offset += field.bytes;
      if (offset > largest_record) fail("its records are impossibly large");
      fields.push_back(std::move(field));
      if (!take(',')) {
        expect(']');
        break;
      }
    }
    return offset;
  }

  /// Their product, up to more than any record may have.
  static std::uint64_t limited(std::uint64_t bytes, std::uint64_t extent) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(bytes, extent, &product) ? largest_record + 1
                                                           : std::min(product, largest_record + 1);
  }

  /// The name of a field, in UTF-8.
  std::string name() {
    std::string text = string();
    if (utf8_) return text;
    std::string result;
    for (const char c : text) {
      const auto code = static_cast<unsigned char>(c);
      if (code < 0x80) {
        result += c;
      } else {
        result += static_cast<char>(0xc0 | code >> 6);
        result += static_cast<char>(0x80 | (code & 0x3f));
      }
    }
    return result;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail("its fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error == std::errc::result_out_of_range) {
        fail("its shape has a number above 2^64");
      }
      if (error != std::errc()) {
        fail("its shape is not a list of numbers");
      }
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      values.push_back(value);
      if (!take(',')) {
        // "(3)" is a number in Python, not a tuple; NumPy writes "(3,)".
        if (values.size() == 1) {
          fail("its shape is not a tuple");
        }
        expect(')');
        break;
      }
    }
    return values;
  }

  static constexpr std::uint64_t largest_record = std::uint64_t{1} << 31;

  std::string_view rest_;
  const std::string& file_;
  bool utf8_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file, bool utf8) {
  return HeaderParser(text, file, utf8).parse();
}

KeyType key_type_of_descr(std::string_view descr, const std::string& file) {
  const std::string_view kind = descr.find_first_of("<>|=") == 0 ? descr.substr(1) : descr;
  if (kind.starts_with('O')) {
    throw Error(
        ErrorCode::input,
        fmt::format("{} holds Python objects (dtype '{}'), which cannot be sorted here", file, descr));
  }
  if (kind == "b1") return KeyType::u8;
  for (const auto& [type, name] : descrs) {
    if (name.substr(1) == kind) return type;
  }
  throw Error(
      ErrorCode::input,
      fmt::format(
          "{} has the dtype '{}', which is none of the key types (u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 "
          "i64 f64)",
          file, descr.substr(0, 32)));
}

std::uint64_t element_bytes_of_descr(std::string_view descr, const std::string& file) {
  // A byte order, a letter, digits, and the unit of times in brackets.
  std::string_view rest = descr.find_first_of("<>|=") == 0 ? descr.substr(1) : descr;
  const char kind = rest.empty() ? ' ' : rest.front();
  if (!rest.empty()) rest.remove_prefix(1);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  const bool has_unit = (kind == 'M' || kind == 'm') && end != rest.data() + rest.size() && *end == '[';
  constexpr std::string_view kinds = "biufcSUVMm";
  if (kinds.find(kind) == kinds.npos || error != std::errc{} || count > (1U << 30) ||
      (end != rest.data() + rest.size() && !has_unit)) {
    throw Error(ErrorCode::input, fmt::format("{} has the dtype '{}', whose elements are no plain bytes",
                                              file, descr.substr(0, 32)));
  }
  return kind == 'U' ? 4 * count : count;
}

std::string_view descr_of(KeyType type) noexcept {
  for (const auto& [key, name] : descrs) {
    if (key == type) {
      return name;
    }
  }
  return {};
}

std::string npy_header_text(std::string_view descr, const std::vector<std::uint64_t>& shape, bool utf8) {
  const std::string_view quote = descr.starts_with('[') ? "" : "'";
  std::string dictionary =
      fmt::format("{{'descr': {}{}{}, 'fortran_order': False, 'shape': ({}{}), }}", quote, descr, quote,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const int major = utf8 ? 3 : dictionary.size() + 64 < (1 << 16) ? 1 : 2;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t used = npy_preamble_bytes + length_bytes + dictionary.size() + 1;
  const std::string body = dictionary + std::string((64 - used % 64) % 64, ' ') + '\n';
  std::string text(npy_magic);
  text += static_cast<char>(major);
  text += '\x00';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    text += static_cast<char>(body.size() >> (8 * i) & 0xff);
  }
  return text + body;
}

}  // namespace bitune::cli
