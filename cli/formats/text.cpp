#include "cli/formats/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "bitune/error.hpp"
#include "cli/formats/half.hpp"

namespace bitune::cli {
namespace {

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

enum class Parsed { ok, no_number, out_of_range };

template <class Number>
Parsed parse_number(std::string_view text, Number& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  if constexpr (std::is_unsigned_v<Number>) {
    if (std::int64_t negative = 0; text.starts_with('-')) {
      return parse_number(text, negative) == Parsed::no_number ? Parsed::no_number : Parsed::out_of_range;
    }
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    return Parsed::no_number;
  }
  if (error == std::errc()) {
    return Parsed::ok;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    // Too small for the type is no error: the nearest number is zero or a subnormal one.
    if (const double wide = std::strtod(std::string(text).c_str(), nullptr); std::fabs(wide) < 1) {
      value = static_cast<Number>(wide);
      return Parsed::ok;
    }
  }
  return Parsed::out_of_range;
}

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view{}
                                         : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

/// A line as a message shows it: short, and without control characters.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, 40)) {
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return line.size() > 40 ? text + "..." : text;
}

/// Parses all lines as `type`. Returns nothing if `or_else_nothing` and a line is a number, but no integer.
std::optional<KeyArray> parse_lines(std::string_view text, KeyType type, bool or_else_nothing,
                                    const std::string& file) {
  std::vector<std::byte> bytes;
  bytes.reserve(size_of(type) * static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') + 1));
  std::uint64_t line_number = 0;
  bool gave_up = false;
  const auto parse_line = [&](std::string_view line, auto number) {
    const Parsed parsed = parse_number(line, number);
    bool fits = parsed == Parsed::ok;
    const void* key = &number;
    std::uint16_t half = 0;
    if (type == KeyType::f16 || type == KeyType::bf16) {
      half = to_half(type, static_cast<double>(number));
      key = &half;
      fits = fits && (std::isinf(from_half(type, half)) == std::isinf(static_cast<double>(number)));
    }
    if (parsed == Parsed::no_number) {
      if (double real = 0; or_else_nothing && parse_number(line, real) != Parsed::no_number) {
        gave_up = true;
        return;
      }
      throw Error(ErrorCode::input, fmt::format("{}, line {}: '{}' is not a number of type {}", file,
                                                line_number, shown(line), name_of(type)));
    }
    if (!fits) {
      throw Error(ErrorCode::input,
                  fmt::format("{}, line {}: {} is out of the range of {}; give another --type", file,
                              line_number, shown(line), name_of(type)));
    }
    const auto* begin = static_cast<const std::byte*>(key);
    bytes.insert(bytes.end(), begin, begin + size_of(type));
  };
  with_number_of(type, [&](auto number) {
    for (std::string_view rest = text; !rest.empty() && !gave_up;) {
      const auto end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++line_number;
      parse_line(line, number);
    }
  });
  if (gave_up) {
    return std::nullopt;
  }
  return make_list(type, std::move(bytes));
}

/// The number with the fewest digits that reads back as the same 16 bits: six are enough for both formats.
void append_half(std::string& text, KeyType type, std::uint16_t bits) {
  double value = from_half(type, bits);
  for (int digits = 1; digits <= 6 && std::isfinite(value); ++digits) {
    const double rounded = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
    if (to_half(type, rounded) == bits) {
      value = rounded;
      break;
    }
  }
  fmt::format_to(std::back_inserter(text), "{}", value);
}

}  // namespace

KeyArray parse_text(std::string_view text, std::optional<KeyType> type, const std::string& file) {
  const auto last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) {
    throw Error(ErrorCode::input, fmt::format("{} is empty: there is nothing to sort", file));
  }
  text = text.substr(0, last + 1);
  if (type) {
    return *parse_lines(text, *type, false, file);
  }
  if (auto integers = parse_lines(text, KeyType::i64, true, file)) {
    return std::move(*integers);
  }
  return *parse_lines(text, KeyType::f64, false, file);
}

KeyArray read_text(InputFile& file, std::optional<KeyType> type) {
  const auto bytes = file.read_all();
  return parse_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, type, file.name());
}

void append_text(std::string& text, KeyType type, const std::byte* keys, std::uint64_t count) {
  with_number_of(type, [&](auto number) {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (type == KeyType::f16 || type == KeyType::bf16) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, keys + i * sizeof bits, sizeof bits);
        append_half(text, type, bits);
      } else {
        std::memcpy(&number, keys + i * sizeof number, sizeof number);
        fmt::format_to(std::back_inserter(text), "{}", number);
      }
      text += '\n';
    }
  });
}

void write_text(OutputFile& file, const KeyArray& keys) {
  constexpr std::uint64_t keys_a_write = 1 << 16;
  std::string text;
  for (std::uint64_t done = 0; done < keys.count(); done += keys_a_write) {
    text.clear();
    append_text(text, keys.type, keys.bytes.data() + done * size_of(keys.type),
                std::min(keys_a_write, keys.count() - done));
    file.write(text);
  }
}

}  // namespace bitune::cli
