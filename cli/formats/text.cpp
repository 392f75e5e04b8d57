#include "cli/formats/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "bitune/error.hpp"
#include "cli/formats/half.hpp"
#include "cli/formats/numbers.hpp"

namespace bitune::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// trimmed(), without a call: most texts have a number in each line, and nothing else.
std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// What stands between the numbers of a line: a blank stands for any blanks and tabs. Nothing if there is one
/// number.
std::optional<char> separator_of(std::string_view line) {
  bool blanks = false;
  bool semicolons = false;
  for (const char c : line) {
    if (c == ',') return ',';
    semicolons |= c == ';';
    blanks |= is_blank(c);
  }
  if (semicolons) return ';';
  return blanks ? std::optional(' ') : std::nullopt;
}

std::string_view unquoted(std::string_view field) {
  return field.size() >= 2 && field.front() == '"' && field.back() == '"' ? field.substr(1, field.size() - 2)
                                                                          : field;
}

/// Calls visit(number, line) for each text between separators, until it returns false.
template <class Visit>
void for_each_number(std::string_view text, Visit&& visit) {
  std::uint64_t line_number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = stripped(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const auto separator = separator_of(line);
    if (!separator) {
      if (!visit(unquoted(line), line_number)) return;
      continue;
    }
    for (bool more = true; more;) {
      const auto stop = static_cast<std::size_t>(
          std::find_if(line.begin(), line.end(),
                       [&](char c) { return *separator == ' ' ? is_blank(c) : c == *separator; }) -
          line.begin());
      if (!visit(unquoted(stripped(line.substr(0, stop))), line_number)) return;
      more = stop < line.size();
      line.remove_prefix(std::min(stop + 1, line.size()));
      if (*separator == ' ') line = stripped(line);
    }
  }
}

/// How many numbers there are, and how they lie.
struct TextLayout {
  std::uint64_t count = 0;
  std::uint64_t lines = 0;
  std::uint64_t fewest = 0;  ///< in a line
  std::uint64_t most = 0;
};

TextLayout layout_of(std::string_view text) {
  if (text.empty()) return {};
  const std::array<char, 4> separators = {',', ';', ' ', '\t'};
  if (std::all_of(separators.begin(), separators.end(),
                  [text](char c) { return text.find(c) == std::string_view::npos; })) {
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    return {lines, lines, 1, 1};
  }
  TextLayout layout;
  std::uint64_t in_line = 0;
  const auto end_line = [&] {
    layout.fewest = layout.lines == 1 ? in_line : std::min(layout.fewest, in_line);
    layout.most = std::max(layout.most, in_line);
    in_line = 0;
  };
  for_each_number(text, [&](std::string_view, std::uint64_t line) {
    if (line != layout.lines && layout.lines > 0) end_line();
    layout.lines = line;
    ++layout.count;
    ++in_line;
    return true;
  });
  end_line();
  return layout;
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

/// Appends the text of one key.
template <class Number>
void append_number(std::string& text, KeyType type, const std::byte* key, Number number) {
  if (type == KeyType::f16 || type == KeyType::bf16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, key, sizeof bits);
    append_half(text, type, bits);
  } else {
    std::memcpy(&number, key, sizeof number);
    fmt::format_to(std::back_inserter(text), "{}", number);
  }
}

}  // namespace

bool looks_like_text(std::string_view bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' ? byte != 0x7f : c == '\t' || c == '\n' || c == '\r';
  });
}

KeyArray parse_text(std::string_view text, std::optional<KeyType> type, const std::string& file,
                    const ReadLimit& limit) {
  constexpr std::size_t enough = 4096;
  const bool is_text = looks_like_text(text.substr(0, enough));
  const std::uint64_t taken = text.size();
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const TextLayout layout = layout_of(text);
  const NumberSource source{
      .name = file,
      .count = layout.count,
      .hint = [is_text, type](std::uint64_t line) -> std::string {
        if (!is_text)
          return fmt::format("; if these are raw keys, give --format raw{}", type ? "" : " and --type");
        return line == 1 ? "; if this line is a header, give the column to sort by with --key" : "";
      },
      .visit = [text](const NumberVisitor& visit) { for_each_number(text, visit); }};
  KeyArray keys = parse_numbers(source, type, limit, taken);
  if (layout.lines > 1 && layout.most > 1) {
    keys.separator = separator_of(text).value_or(' ');
    keys.ragged = layout.fewest != layout.most;
    if (!keys.ragged) keys.shape = {layout.lines, layout.most};
  }
  return keys;
}

KeyArray read_text(InputFile& file, std::optional<KeyType> type) {
  const auto bytes = file.read_all();
  return parse_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, type, file.name(),
                    file.limit());
}

void append_text(std::string& text, KeyType type, const std::byte* keys, std::uint64_t count) {
  with_number_of(type, [&](auto number) {
    for (std::uint64_t i = 0; i < count; ++i) {
      append_number(text, type, keys + i * size_of(type), number);
      text += '\n';
    }
  });
}

void write_text(OutputFile& file, const KeyArray& keys) {
  constexpr std::size_t bytes_a_write = 1 << 20;
  // An empty row would have no line: then there is nothing to write at all.
  const std::uint64_t in_line = keys.shape.size() > 1 ? std::max<std::uint64_t>(keys.shape.back(), 1) : 1;
  std::string text;
  with_number_of(keys.type, [&](auto number) {
    const std::uint64_t count = keys.count();
    for (std::uint64_t i = 0; i < count; ++i) {
      append_number(text, keys.type, keys.bytes.data() + i * size_of(keys.type), number);
      text += (i + 1) % in_line == 0 ? '\n' : keys.separator;
      if (text.size() >= bytes_a_write) {
        file.write(text);
        text.clear();
      }
    }
  });
  file.write(text);
}

}  // namespace bitune::cli
