#pragma once

/// \file
/// Tokens of C++ source text.

#include <cstdint>
#include <string_view>
#include <vector>

namespace bitune {

/// One token. Comments, white space and joined lines are left out.
struct Token {
  enum class Kind : std::uint8_t { identifier, number, literal, punctuator };
  Kind kind = Kind::punctuator;
  bool begins_line = false;  ///< a `#` that does begins a directive, which ends before the next that does
  bool after_space = false;  ///< tells `#define f (x)` from `#define f(x)`
  std::string_view text;     ///< a part of the source text; not empty

  [[nodiscard]] bool is(char mark) const noexcept { return text.front() == mark && text.size() == 1; }
  [[nodiscard]] bool is(std::string_view what) const noexcept { return text == what; }
};

/// The tokens of the text, which must outlive them. Any text has some: what is no C++ gives tokens, too.
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

}  // namespace bitune
