#include "runtime/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace bitune {
namespace {

enum class Class : std::uint8_t { other, space, digit, letter };

// Bytes above 127 are parts of letters.
constexpr std::array<Class, 256> classes = [] {
  std::array<Class, 256> made{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) made[static_cast<unsigned char>(c)] = Class::space;
  for (std::size_t c = '0'; c <= '9'; ++c) made[c] = Class::digit;
  for (std::size_t c = 'a'; c <= 'z'; ++c) made[c] = made[c - 'a' + 'A'] = Class::letter;
  for (std::size_t c = 128; c < made.size(); ++c) made[c] = Class::letter;
  made['_'] = made['$'] = Class::letter;
  return made;
}();

Class class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return class_of(c) == Class::digit; }
bool is_part_of_name(char c) { return class_of(c) >= Class::digit; }

// Longer ones first: the longest that fits is the token.
constexpr std::array<std::string_view, 27> long_punctuators = {
    "<<=", ">>=", "<=>", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##", ".*"};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 5);
    for (skip_space(); at_ < text_.size(); skip_space()) {
      Token& token = tokens.emplace_back();
      token.begins_line = new_line_;
      token.after_space = space_;
      const std::size_t begin = at_;
      token.kind = read_token();
      token.text = text_.substr(begin, at_ - begin);
      new_line_ = space_ = false;
    }
    return tokens;
  }

 private:
  [[nodiscard]] char ahead(std::size_t distance = 0) const {
    return at_ + distance < text_.size() ? text_[at_ + distance] : '\0';
  }
  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void go_behind(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == text_.npos ? text_.size() : found + end.size();
  }

  // Length of a backslash with the end of its line, which joins two lines; else 0.
  [[nodiscard]] std::size_t joint() const {
    if (ahead() != '\\') return 0;
    if (ahead(1) == '\n') return 2;
    return ahead(1) == '\r' && ahead(2) == '\n' ? 3 : 0;
  }

  void skip_space() {
    for (; at_ < text_.size(); space_ = true) {
      const char c = ahead();
      if (class_of(c) == Class::space) {
        new_line_ = new_line_ || c == '\n';
        ++at_;
      } else if (c == '/' && ahead(1) == '*') {
        at_ += 2;
        go_behind("*/");
      } else if (c == '/' && ahead(1) == '/') {
        skip_line_comment();
      } else if (const std::size_t length = joint(); length > 0) {
        at_ += length;
      } else {
        return;
      }
    }
  }

  // Up to the line's end, which is left: it may end a directive.
  void skip_line_comment() {
    do {
      at_ = std::min(text_.find('\n', at_ + 1), text_.size());
    } while (at_ < text_.size() && (text_[at_ - 1] == '\\' || text_.substr(at_ - 2, 2) == "\\\r"));
  }

  Token::Kind read_token() {
    const char c = ahead();
    switch (class_of(c)) {
      case Class::letter:
        return read_identifier();
      case Class::digit:
        return read_number();
      default:
        break;
    }
    if (c == '"' || c == '\'') {
      read_literal(c);
      return Token::Kind::literal;
    }
    if (c == '.' && is_digit(ahead(1))) return read_number();
    read_punctuator();
    return Token::Kind::punctuator;
  }

  void read_punctuator() {
    ++at_;
    // Most stand alone: every longer one goes on with one of these.
    if (std::string_view("=<>.-+&|:#*").find(ahead()) == std::string_view::npos) return;
    --at_;
    const auto found = std::find_if(long_punctuators.begin(), long_punctuators.end(),
                                    [this](std::string_view longer) { return starts(longer); });
    at_ += found == long_punctuators.end() ? 1 : found->size();
  }

  Token::Kind read_number() {
    for (char before = '\0'; at_ < text_.size(); ++at_) {
      const char c = ahead();
      const bool sign =
          (c == '+' || c == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
      if (!is_part_of_name(c) && c != '.' && c != '\'' && !sign) break;
      before = c;
    }
    return Token::Kind::number;
  }

  void read_literal(char quote) {
    // One that its line does not end, such as the apostrophe of an #error, ends with the line.
    for (++at_; at_ < text_.size() && ahead() != quote && ahead() != '\n'; ++at_) {
      if (ahead() == '\\') ++at_;
    }
    at_ = std::min(ahead() == quote ? at_ + 1 : at_, text_.size());
  }

  Token::Kind read_identifier() {
    const std::size_t begin = at_;
    at_ = static_cast<std::size_t>(std::find_if_not(text_.begin() + at_, text_.end(), is_part_of_name) -
                                   text_.begin());
    if (ahead() != '"') return Token::Kind::identifier;
    constexpr std::array<std::string_view, 5> raw = {"R", "LR", "uR", "UR", "u8R"};
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (std::find(raw.begin(), raw.end(), name) == raw.end()) return Token::Kind::identifier;
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    std::string end = ")";
    end.append(text_.substr(at_ + 1, open - at_ - 1)).push_back('"');
    at_ = open;
    go_behind(end);
    return Token::Kind::literal;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool new_line_ = true;  // white space before the next token ended a line, or the text begins there
  bool space_ = false;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Reader(text).all(); }

}  // namespace bitune
