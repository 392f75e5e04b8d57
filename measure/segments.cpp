#include "measure/segments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>

#include "bitune/error.hpp"
#include "kernels/measure/made_keys.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

constexpr std::array<std::string_view, all_lengths.size()> length_names = {"uniform", "zipf", "few_long",
                                                                           "equal", "mixed"};

/// What is drawn for a segment, before all are stretched to their sum. u: a random number in 0 .. 1.
double drawn_length(Lengths lengths, double mean, double u) {
  switch (lengths) {
    case Lengths::uniform:
      return std::floor(u * (2 * mean + 1));
    case Lengths::zipf:
      return mean / 6 * std::pow(1 - u, -1 / 1.2);
    case Lengths::few_long:
      return u < 0.99 ? mean / 4 : 75 * mean;
    case Lengths::mixed: {
      const double turn = std::floor(3 * u);
      return drawn_length(all_lengths[static_cast<std::size_t>(turn)], mean, 3 * u - turn);
    }
    default:
      return mean;
  }
}

std::vector<std::uint64_t> draw_lengths(const Shape& shape, Lengths lengths, std::uint64_t seed) {
  const double mean = static_cast<double>(shape.n) / static_cast<double>(shape.rows);
  std::vector<double> ends(shape.rows);
  double sum = 0;
  for (std::uint64_t i = 0; i < shape.rows; ++i) {
    sum += drawn_length(lengths, mean, static_cast<double>(made::random_bits(~seed, i) >> 11) * 0x1p-53);
    ends[i] = sum;
  }
  if (sum == 0) ends.back() = sum = 1;
  // The ends are stretched and rounded, so that the last one is where the keys end, whatever the others are.
  std::vector<std::uint64_t> result(shape.rows);
  std::uint64_t end_before = 0;
  for (std::uint64_t i = 0; i < shape.rows; ++i) {
    const auto end = std::min(
        static_cast<std::uint64_t>(std::llround(ends[i] / sum * static_cast<double>(shape.n))), shape.n);
    result[i] = end - end_before;
    end_before = end;
  }
  return result;
}

std::vector<std::byte> bytes_of(const std::vector<std::uint64_t>& numbers, std::size_t number_bytes) {
  std::vector<std::byte> bytes(numbers.size() * number_bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (number_bytes == 4) {
      const auto narrow = static_cast<std::uint32_t>(numbers[i]);
      std::memcpy(&bytes[i * 4], &narrow, sizeof(narrow));
    } else {
      std::memcpy(&bytes[i * 8], &numbers[i], sizeof(numbers[i]));
    }
  }
  return bytes;
}

RowRanges::Numbers share(std::vector<std::uint64_t> numbers) {
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(numbers));
}

}  // namespace

std::string_view name_of(Lengths lengths) noexcept { return length_names[static_cast<std::size_t>(lengths)]; }

bool is_file_of_lengths(const std::string& source) {
  if (std::find(length_names.begin(), length_names.end(), source) != length_names.end()) return false;
  std::error_code error;
  if (std::filesystem::exists(source, error)) return true;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no file, and no distribution of lengths: choose one of {}, or name a file "
                          "with a length a line",
                          source, fmt::join(length_names, ", ")));
}

std::vector<std::uint64_t> read_lengths(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file) throw Error(ErrorCode::io, fmt::format("'{}' cannot be read", path));
  const std::string text = std::move(content).str();
  std::vector<std::uint64_t> lengths;
  std::uint64_t keys = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();;) {
    at = std::find_if(at, end, [](char c) { return c != ' ' && c != '\t' && c != '\n' && c != '\r'; });
    if (at == end) break;
    std::uint64_t length = 0;
    const auto [behind, error] = std::from_chars(at, end, length);
    if (error != std::errc{} || __builtin_add_overflow(keys, length, &keys) ||
        keys > std::uint64_t{1} << 62) {
      throw Error(
          ErrorCode::input,
          fmt::format("'{}': the length of segment {} is no number from 0 on, or too large; a file of "
                      "lengths has one a line",
                      path, lengths.size()));
    }
    lengths.push_back(length);
    at = behind;
  }
  if (lengths.empty()) throw Error(ErrorCode::input, fmt::format("'{}' has no lengths", path));
  return lengths;
}

Shape shape_of_lengths(const std::vector<std::uint64_t>& lengths) {
  return {.n = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}),
          .rows = lengths.size(),
          .ragged = true};
}

std::vector<std::uint64_t> make_lengths(const Shape& shape, const std::string& source, std::uint64_t seed) {
  if (is_file_of_lengths(source)) {
    std::vector<std::uint64_t> lengths = read_lengths(source);
    if (const Shape found = shape_of_lengths(lengths); found.n != shape.n || found.rows != shape.rows) {
      throw Error(ErrorCode::input, fmt::format("'{}' has {} lengths of {} keys in all, and not {} of {}",
                                                source, found.rows, found.n, shape.rows, shape.n));
    }
    return lengths;
  }
  if (shape.rows == 0) return {};
  const auto found = std::find(length_names.begin(), length_names.end(), source) - length_names.begin();
  return draw_lengths(shape, static_cast<Lengths>(found), seed);
}

std::vector<std::byte> Segments::offsets() const {
  std::vector<std::uint64_t> numbers = *begins;
  if (!with_ends) numbers.push_back(numbers.empty() ? 0 : numbers.back() + lengths->back());
  return bytes_of(numbers, number_bytes);
}

std::vector<std::byte> Segments::ends() const {
  if (!with_ends) return {};
  std::vector<std::uint64_t> numbers = *begins;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += (*lengths)[i];
  return bytes_of(numbers, number_bytes);
}

Segments packed_segments(std::vector<std::uint64_t> lengths) {
  std::vector<std::uint64_t> begins(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), std::uint64_t{0});
  const std::uint64_t end = lengths.empty() ? 0 : begins.back() + lengths.back();
  return {.begins = share(std::move(begins)),
          .lengths = share(std::move(lengths)),
          .number_bytes = end < std::uint64_t{1} << 31 ? std::size_t{4} : std::size_t{8},
          .with_ends = false};
}

Segments segments_with_gaps(const Segments& packed) {
  std::vector<std::uint64_t> lengths = *packed.lengths;
  for (std::uint64_t& length : lengths) length -= length > 1 ? 1 : 0;
  return {
      .begins = packed.begins, .lengths = share(std::move(lengths)), .number_bytes = 8, .with_ends = true};
}

}  // namespace bitune
