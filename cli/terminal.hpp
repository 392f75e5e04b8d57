#pragma once

/// \file
/// The terminal: its width, and tables that fit it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bitune::cli {

inline constexpr std::size_t unlimited_width = std::numeric_limits<std::size_t>::max();

/// Columns of the terminal on standard output; unlimited if it is none ($COLUMNS, where it is set, holds for
/// both).
[[nodiscard]] std::size_t output_width();

/// Columns of the terminal that a descriptor is; 80 if it does not tell.
[[nodiscard]] std::size_t terminal_width(int descriptor);

/// Breaks a paragraph at blanks so that no line is longer than `width`, if words allow.
[[nodiscard]] std::string wrapped(std::string_view paragraph, std::size_t width);

/// The first `width` columns of a text, the last of them an ellipsis if something is cut. Counts UTF-8
/// characters.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// The text with what a terminal should not get as "\xNN": bytes that are no UTF-8, and control characters
/// but for ends of lines and tabs.
[[nodiscard]] std::string escaped(std::string_view text);

/// Whether this descriptor is a terminal that takes escape codes: not if $TERM is "dumb" or empty, or
/// $NO_COLOR is set.
[[nodiscard]] bool takes_escape_codes(int descriptor);

/// A duration for people: "8.2 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string duration_text(double seconds);

/// A time in the unit that suits it: "12.3 us", "4.56 ms", "1.20 s".
[[nodiscard]] std::string microseconds_text(std::optional<double> us);

/// How many there are of something: "1 trial", "21 trials".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view one);

/// A rate: "1.23 Gkeys/s".
[[nodiscard]] std::string rate_text(double keys, double us);

enum class Align { left, right };

/// Rows under headings, in columns as wide as their content.
class Table {
 public:
  struct Column {
    std::string heading;
    Align align = Align::left;
    std::size_t shrinks_to = unlimited_width;  ///< columns that it may be cut to where the table is too wide
    int leaves = 0;                            ///< left out where that is not enough, 1 before 2; 0: never
    std::string usual = {};  ///< left out where each cell says just this, if it is not empty
  };

  explicit Table(std::vector<Column> columns);

  /// Precondition: as many cells as columns.
  void add(std::vector<std::string> cells);

  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  /// The table with a line feed after each row. If it is wider than `width`, columns that may shrink do so,
  /// the first one first. If that is not enough, columns that may be left out are. If even that is not
  /// enough, each row is a block of lines, a column a line, with all columns.
  [[nodiscard]] std::string text(std::size_t width) const;

 private:
  /// The columns in which some cell is unusual.
  [[nodiscard]] std::vector<std::size_t> telling() const;

  /// Widths of these columns, shrunk as far as need be; their sum with gaps is in `total`.
  [[nodiscard]] std::vector<std::size_t> widths_of(const std::vector<std::size_t>& shown, std::size_t width,
                                                   std::size_t& total) const;

  /// Each row as lines "heading  cell" of these columns, with an empty line between two rows.
  [[nodiscard]] std::string blocks(const std::vector<std::size_t>& shown, std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bitune::cli
