#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bitune::cli {
namespace {

constexpr std::size_t gap = 2;  // between two columns of a table

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Characters of a UTF-8 text; names of devices and files are the only ones that may hold others than ASCII.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

/// Bytes of the character that the text begins with; 0 if that is no UTF-8, or a control character but for
/// ends of lines and tabs.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[i]));
  };
  if (text[0] == '\n' || text[0] == '\t') return 1;
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  unsigned code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  // The first 32 codes from 0x80 on are control characters; others are too long, surrogates, or beyond
  // Unicode.
  const bool sound = length == 2   ? code >= 0xa0
                     : length == 3 ? code >= 0x800 && (code < 0xd800 || code > 0xdfff)
                                   : code >= 0x10000 && code <= 0x10ffff;
  return sound ? length : 0;
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  struct winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::size_t output_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    std::size_t width = 0;
    if (std::from_chars(columns, columns + std::strlen(columns), width).ec == std::errc() && width > 0) {
      return width;
    }
  }
  return ::isatty(STDOUT_FILENO) != 0 ? terminal_width(STDOUT_FILENO) : unlimited_width;
}

std::string wrapped(std::string_view paragraph, std::size_t width) {
  std::string text;
  std::size_t column = 0;
  while (!paragraph.empty()) {
    const auto end = std::min(paragraph.find(' '), paragraph.size());
    const auto word = paragraph.substr(0, end);
    if (column > 0 && column + 1 + word.size() > width) {
      text += '\n';
      column = 0;
    } else if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
    paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
  }
  return text;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (columns_of(text) <= width) {
    return std::string(text);
  }
  std::string result;
  std::size_t columns = 0;
  for (const char c : text) {
    if (!continues_character(c) && ++columns >= width) {
      break;
    }
    result += c;
  }
  return width == 0 ? "" : result + "…";
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

bool takes_escape_codes(int descriptor) {
  const char* terminal = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  const bool plain = terminal == nullptr || *terminal == '\0' || std::strcmp(terminal, "dumb") == 0 ||
                     (no_color != nullptr && *no_color != '\0');
  return !plain && ::isatty(descriptor) != 0;
}

std::string duration_text(double seconds) {
  if (seconds < 60) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<long>(std::lround(seconds));
  return whole < 3600 ? fmt::format("{} min {} s", whole / 60, whole % 60)
                      : fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string microseconds_text(std::optional<double> us) {
  if (!us) {
    return "-";
  }
  if (*us < 1e3) {
    return fmt::format("{:.1f} us", *us);
  }
  return *us < 1e6 ? fmt::format("{:.2f} ms", *us * 1e-3) : fmt::format("{:.2f} s", *us * 1e-6);
}

std::string count_text(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string rate_text(double keys, double us) {
  if (us <= 0) {
    return "-";
  }
  const double mega = keys / us;
  return mega < 1e3 ? fmt::format("{:.2f} Mkeys/s", mega) : fmt::format("{:.2f} Gkeys/s", mega * 1e-3);
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::vector<std::size_t> Table::widths_of(const std::vector<std::size_t>& shown, std::size_t width,
                                          std::size_t& total) const {
  std::vector<std::size_t> widths;
  total = shown.empty() ? 0 : (shown.size() - 1) * gap;
  for (const std::size_t c : shown) {
    std::size_t widest = columns_of(columns_[c].heading);
    for (const auto& row : rows_) {
      widest = std::max(widest, columns_of(row[c]));
    }
    widths.push_back(widest);
    total += widest;
  }
  for (std::size_t i = 0; i < shown.size() && total > width; ++i) {
    const Column& column = columns_[shown[i]];
    const std::size_t least = std::max(column.shrinks_to, columns_of(column.heading));
    if (widths[i] > least) {
      const std::size_t cut = std::min(total - width, widths[i] - least);
      widths[i] -= cut;
      total -= cut;
    }
  }
  return widths;
}

std::vector<std::size_t> Table::telling() const {
  std::vector<std::size_t> telling;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string& usual = columns_[c].usual;
    const auto is_usual = [&](const std::vector<std::string>& row) { return row[c] == usual; };
    if (usual.empty() || !std::all_of(rows_.begin(), rows_.end(), is_usual)) telling.push_back(c);
  }
  return telling;
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> all = telling();
  std::vector<std::size_t> shown = all;
  std::size_t total = 0;
  std::vector<std::size_t> widths = widths_of(shown, width, total);
  for (int left_out = 1; total > width; ++left_out) {
    const auto may_leave = [&](std::size_t c) { return columns_[c].leaves >= left_out; };
    if (std::none_of(shown.begin(), shown.end(), may_leave)) {
      break;
    }
    std::erase_if(shown, [&](std::size_t c) { return columns_[c].leaves == left_out; });
    widths = widths_of(shown, width, total);
  }
  if (total > width && !rows_.empty()) return blocks(all, width);
  std::string text;
  const auto add_row = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string cell = shortened(cell_of(shown[i]), widths[i]);
      const std::string blanks(widths[i] - columns_of(cell), ' ');
      line += i > 0 ? std::string(gap, ' ') : "";
      line += columns_[shown[i]].align == Align::left ? cell + blanks : blanks + cell;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add_row([this](std::size_t c) -> const std::string& { return columns_[c].heading; });
  for (const auto& row : rows_) {
    add_row([&row](std::size_t c) -> const std::string& { return row[c]; });
  }
  return text;
}

std::string Table::blocks(const std::vector<std::size_t>& shown, std::size_t width) const {
  std::size_t widest = 0;
  for (const std::size_t c : shown) widest = std::max(widest, columns_of(columns_[c].heading));
  std::string text;
  for (const auto& row : rows_) {
    if (!text.empty()) text += '\n';
    for (const std::size_t c : shown) {
      const std::string& heading = columns_[c].heading;
      const std::string line = heading + std::string(widest - columns_of(heading) + gap, ' ') + row[c];
      text += shortened(line.substr(0, line.find_last_not_of(' ') + 1), width) + '\n';
    }
  }
  return text;
}

}  // namespace bitune::cli
