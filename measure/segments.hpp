#pragma once

/// \file
/// Segments of generated calls: how long they are, and where they lie.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"
#include "measure/row_ranges.hpp"

namespace bitune {

/// How long segments are, of a mean length m, with u uniform in 0 .. 1.
enum class Lengths : std::uint8_t {
  uniform,   ///< 0 to 2 m
  zipf,      ///< m / 6 * (1 - u)^(-1 / 1.2): most are short, and a few have most of the keys
  few_long,  ///< 99 of a hundred have m / 4, one has 75 m
  equal,     ///< m each
  mixed,     ///< of uniform, zipf and few_long by turns, as chance has it: each has a third of the keys
};
inline constexpr std::array<Lengths, 5> all_lengths = {Lengths::uniform, Lengths::zipf, Lengths::few_long,
                                                       Lengths::equal, Lengths::mixed};

[[nodiscard]] std::string_view name_of(Lengths lengths) noexcept;

/// The lengths of `shape.rows` segments that have `shape.n` keys in all. `source`: the name of a
/// distribution, or the path of a file with a length a line. Drawn lengths are stretched a little, all alike,
/// so that their sum is right. They depend on the arguments only. \throws Error (usage, io, input) for a
/// source that is neither, and for a file of other lengths than the shape's
[[nodiscard]] std::vector<std::uint64_t> make_lengths(const Shape& shape, const std::string& source,
                                                      std::uint64_t seed);

/// Whether the source is the path of a file, not the name of a distribution. \throws Error (usage) that lists
/// the names, if there is no such file either
[[nodiscard]] bool is_file_of_lengths(const std::string& source);

/// The lengths in a text file: digits between blanks or line ends. \throws Error (io, input)
[[nodiscard]] std::vector<std::uint64_t> read_lengths(const std::string& path);

/// The shape of segments of these lengths.
[[nodiscard]] Shape shape_of_lengths(const std::vector<std::uint64_t>& lengths);

/// Segments in the order of their numbers, and how a call is told of them.
struct Segments {
  RowRanges::Numbers begins;
  RowRanges::Numbers lengths;
  std::size_t number_bytes = 8;  ///< of each offset, and of each end
  bool with_ends = false;        ///< else each ends where the next one begins

  [[nodiscard]] std::uint64_t count() const { return lengths->size(); }
  /// Offsets, or ends, as their bytes.
  [[nodiscard]] std::vector<std::byte> offsets() const;
  [[nodiscard]] std::vector<std::byte> ends() const;
};

/// Segments one behind the other. Offsets have 4 bytes where an i32 holds them, else 8.
[[nodiscard]] Segments packed_segments(std::vector<std::uint64_t> lengths);

/// The same, but each of two keys and more ends one key earlier, and 8-byte numbers say where: so there are
/// gaps.
[[nodiscard]] Segments segments_with_gaps(const Segments& packed);

}  // namespace bitune
