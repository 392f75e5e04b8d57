#pragma once

/// \file
/// Content digests (XXH3, 128 bits) of the things that bitune names by their content.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace bitune {

/// Digest of a sequence of fields. Each field is prefixed by its length, so that ("ab","c") and ("a","bc")
/// differ.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  Digest& add(std::string_view field);
  /// Both halves, the upper one first: they order as the text does.
  [[nodiscard]] std::array<std::uint64_t, 2> value() const;
  /// 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;
  /// Forgets all fields.
  void reset();

 private:
  void* state_;
};

}  // namespace bitune
