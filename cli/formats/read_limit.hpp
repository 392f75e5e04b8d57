#pragma once

/// \file
/// How much an input may take of the host's memory.

#include <cstdint>
#include <limits>
#include <string>

namespace bitune::cli {

/// Bytes that one input may take, as it is read and as keys together.
struct ReadLimit {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::string reason = {};  ///< for people: "half of the memory that this host has free"

  [[nodiscard]] bool allows(std::uint64_t taken) const noexcept { return taken <= bytes; }

  /// `file` names the input. \throws Error (input) if it takes more than the limit
  void check(std::uint64_t taken, const std::string& file) const;

  /// Of an input whose end was not seen within the limit. \throws Error (input)
  [[noreturn]] void refuse_endless(const std::string& file) const;
};

/// "12.0 GiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace bitune::cli
