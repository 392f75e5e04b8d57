#pragma once

/// \file
/// Reading one declaration, token by token: what it says, and where it ends. Part of source_declarations.

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/source_declarations.hpp"
#include "runtime/source_tokens.hpp"

namespace bitune {

using Tokens = std::span<const Token>;

// No token begins with one of these, so that no two sequences of tokens make one text.
inline constexpr char token_end = '\0';
inline constexpr char directive_begin = '\1';
inline constexpr char directive_end = '\2';
inline constexpr char context_end = '\3';

[[nodiscard]] bool is_any_of(const Token& token, std::initializer_list<std::string_view> words);

/// A declaration that is being read.
class DeclarationDraft {
 public:
  void add(const Token& token);
  void add_directive(Tokens directive);
  [[nodiscard]] bool empty() const { return empty_; }

  /// The declaration, which stands in `context`. The draft is empty then.
  [[nodiscard]] Declaration take(const SourceContext& context, std::vector<NameHash> callable);

 private:
  void mention(std::string_view name);

  Declaration declaration_;
  std::array<NameHash, 64> latest_{};  // what was mentioned is mostly mentioned again soon
  std::string_view last_literal_;
  bool empty_ = true;
};

/// How far the reading of a declaration has come: what decides where it ends.
class DeclarationGrammar {
 public:
  /// Tells whether the declaration ends with this token. `next` is the token behind it, if there is one.
  [[nodiscard]] bool ends_with(const Token& token, const Token* next);

  [[nodiscard]] int depth() const { return depth_; }

  /// What a plain function may be called: nobody but those who mention one of these can use it. Empty if it
  /// is none, or can be used unnamed (operators) or from outside (kernels).
  [[nodiscard]] std::vector<NameHash> callable() const;

 private:
  bool in_template_header(const Token& token, const Token* next);
  void look_at(const Token& token, const Token* next);

  int depth_ = 0;  // of parentheses, brackets and braces
  bool in_header_ = false;
  int angles_ = 0;  // of a template's parameters
  int nested_ = 0;  // parentheses in them
  bool begun_ = false;
  std::string_view before_;
  bool ends_at_semicolon_ = false;
  bool ends_with_body_ = false;
  bool used_unnamed_ = false;
  std::vector<NameHash> called_;
};

}  // namespace bitune
