#pragma once

/// \file
/// Text form and ranges of problems.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/types.hpp"

namespace bitune {

/// "sort u32 ascending n=1048576", and " name=value" for each further field that has not its default.
[[nodiscard]] std::string text_of(const Problem& problem);

/// "sort_u32_ascending": a word that tells specs apart, but not by `k`.
[[nodiscard]] std::string word_of(const SortSpec& spec);

/// Of what travels with each key: a value, or an index, which is a value that the kernels make.
[[nodiscard]] std::uint32_t carried_bytes(const SortSpec& spec) noexcept;

/// Whether keys may be written: by all but an argsort.
[[nodiscard]] bool writes_keys(const SortSpec& spec) noexcept;

/// Whether keys alone are put in order: nothing travels with them, and all of them are given.
[[nodiscard]] bool has_keys_alone(const SortSpec& spec) noexcept;

/// Whether keys alone are put in order, of an array or of rows of one length. To be stable changes nothing
/// then: equal keys are equal bits.
[[nodiscard]] bool sorts_keys_alone(const Problem& problem) noexcept;

/// Whether no two results are right: keys alone, and what is stable.
[[nodiscard]] bool has_one_result(const Problem& problem) noexcept;

/// Keys of each row of the result: the first k where those are asked for, else all. Not of segments, unless
/// their first k are.
[[nodiscard]] std::uint64_t result_length(const Problem& problem) noexcept;

/// Keys of each row, or on average of a segment, rounded up.
[[nodiscard]] std::uint64_t mean_length(const Problem& problem) noexcept;

/// Keys of each segment, if all segments may have as many, and 32 bits hold that number; else 0. Only the
/// offsets say whether they have.
[[nodiscard]] std::uint32_t equal_length(const Shape& segments) noexcept;

/// Whether its k is from 1 to n, if it asks for the first k; of segments from 1 on, as any may have fewer.
[[nodiscard]] bool has_fitting_k(const Problem& problem) noexcept;

/// Keys of the whole problem. \throws Error (usage) if they exceed 2^63.
[[nodiscard]] std::uint64_t key_count(const Problem& problem);

/// The same as a number to reckon rates with, which refuses nothing.
[[nodiscard]] double keys_in_all(const Shape& shape) noexcept;

/// Bytes of all keys of the problem. \throws Error (usage) if it exceeds 2^63.
[[nodiscard]] std::uint64_t key_bytes(const Problem& problem);

/// Parses one size: "4096", "2^20", "1000000", "1e6", "64K", "16M" (K, M, G are powers of 1024).
/// \throws Error (usage)
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

/// Rows of `n` keys that make `total` keys in all, or a little less. \throws Error (usage) if not even one
/// does, or if n is 0.
[[nodiscard]] std::uint64_t rows_in_total(std::uint64_t total, std::uint64_t n);

/// Parses "2^10..2^26" (every power of two between), "2^10..2^26:2" (every second one) and comma-separated
/// lists of such terms; the result is sorted and without duplicates. \throws Error (usage)
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view text);

/// "2^20" for powers of two from 2^10 on, else the digits.
[[nodiscard]] std::string size_text(std::uint64_t n);

}  // namespace bitune
