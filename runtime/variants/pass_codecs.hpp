#pragma once

/// \file
/// The codecs of the passes of a radix sort of keys with what travels with them
/// (kernels/radix/pass_codec.cuh).

#include <cstdint>
#include <string>

#include "model/problem.hpp"

namespace bitune {

/// Each text is the first two template arguments of a kernel. Keys whose bits are words already have the same
/// codec in all passes.
class PassCodecs {
 public:
  /// \param passes at least 1, over digits of `digit_bits` bits; the last digit may have fewer.
  PassCodecs(const Problem& problem, std::uint64_t passes, std::int64_t digit_bits);

  /// Of the kernel that counts the digits of all passes.
  [[nodiscard]] std::string of_counting() const;
  [[nodiscard]] std::string of_pass(std::uint64_t pass) const;

 private:
  [[nodiscard]] bool is_last(std::uint64_t pass) const { return pass + 1 == passes_; }
  /// The codec itself, without what it is given beside.
  [[nodiscard]] std::string text(std::uint64_t pass) const;

  KeyType key_;
  Order order_;
  std::uint64_t passes_;
  bool decodes_;                ///< the last pass writes keys
  bool nans_share_last_digit_;  ///< whatever their bits are
};

}  // namespace bitune
