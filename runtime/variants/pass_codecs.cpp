#include "runtime/variants/pass_codecs.hpp"

#include <fmt/format.h>

#include "model/key_type.hpp"
#include "runtime/variants/expressions.hpp"

namespace bitune {

PassCodecs::PassCodecs(const Problem& problem, std::uint64_t passes, std::int64_t digit_bits)
    : key_(problem.key), order_(problem.order), passes_(passes), decodes_(writes_keys(problem)) {
  const auto bits = 8 * static_cast<std::int64_t>(size_of(key_));
  const std::int64_t last_bits = bits - static_cast<std::int64_t>(passes - 1) * digit_bits;
  // Every NaN has all bits of the exponent, which lead its word.
  nans_share_last_digit_ = last_bits <= exponent_bits(key_);
}

std::string PassCodecs::of_counting() const { return tie_arguments_of(text(0)); }

std::string PassCodecs::of_pass(std::uint64_t pass) const { return arguments_of(text(pass)); }

std::string PassCodecs::text(std::uint64_t pass) const {
  std::string codec = key_codec(key_, order_);
  std::string words = word_codec(key_);
  const bool reads_keys = pass == 0;
  const bool writes_keys = is_last(pass) && decodes_;
  if (codec == words || (reads_keys && is_last(pass))) return codec;
  const bool has_nans = is_floating_point(key_);
  const bool nans_are_equal = has_nans && !decodes_;
  if (!reads_keys && !writes_keys && (!has_nans || nans_are_equal)) return words;
  const auto form = [&](bool is_key) {
    return is_key ? "key" : nans_are_equal ? "word_of_equal_nans" : "word";
  };
  return fmt::format("bitune::PassCodec<{}, bitune::KeyForm::{}, bitune::KeyForm::{}, {}>", codec,
                     form(reads_keys), form(writes_keys), is_last(pass) && nans_share_last_digit_);
}

}  // namespace bitune
