#include "runtime/source_draft.hpp"

#include <algorithm>
#include <utility>

namespace bitune {
namespace {

// Two pieces of a string are one string, however they are broken into lines. Not if the first one may end
// with an escape that goes on in the second.
bool can_be_joined(std::string_view before, std::string_view after) {
  if (!before.starts_with('"') || !before.substr(1).ends_with('"') || !after.starts_with('"')) return false;
  for (std::size_t at = before.find('\\'); at != before.npos; at = before.find('\\', at + 2)) {
    if (at + 1 < before.size() && std::string_view("x01234567uUN").find(before[at + 1]) != before.npos)
      return false;
  }
  return true;
}

// 1 for what opens, -1 for what closes.
int nesting(const Token& token) {
  if (token.kind != Token::Kind::punctuator || token.text.size() > 1) return 0;
  switch (token.text.front()) {
    case '(':
    case '[':
    case '{':
      return 1;
    case ')':
    case ']':
    case '}':
      return -1;
    default:
      return 0;
  }
}

}  // namespace

bool is_any_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

void DeclarationDraft::add(const Token& token) {
  if (token.kind == Token::Kind::literal && can_be_joined(last_literal_, token.text)) {
    declaration_.text.resize(declaration_.text.size() - 2);  // its quotation mark and the end of the token
    declaration_.text.append(token.text.substr(1)).push_back(token_end);
  } else {
    declaration_.text.append(token.text).push_back(token_end);
  }
  last_literal_ = token.kind == Token::Kind::literal ? token.text : std::string_view();
  if (token.kind == Token::Kind::identifier) mention(token.text);
  if (token.is("##")) declaration_.pastes = true;
  empty_ = false;
}

void DeclarationDraft::add_directive(Tokens directive) {
  declaration_.text.push_back(directive_begin);
  // `#define f(x)` has arguments, `#define f (x)` has none.
  const bool has_arguments =
      directive.size() > 3 && directive[1].is("define") && directive[3].is('(') && !directive[3].after_space;
  for (const Token& token : directive.subspan(1)) add(token);
  if (has_arguments) declaration_.text.push_back(directive_begin);
  declaration_.text.push_back(directive_end);
  last_literal_ = {};
}

Declaration DeclarationDraft::take(const SourceContext& context, std::vector<NameHash> callable) {
  Declaration made = std::move(declaration_);
  made.text.insert(0, context.text + context_end);
  made.mentions.insert(made.mentions.end(), context.mentions.begin(), context.mentions.end());
  made.callable = std::move(callable);
  *this = {};
  return made;
}

void DeclarationDraft::mention(std::string_view name) {
  const NameHash hash = hash_of_name(name);
  NameHash& latest = latest_[hash % latest_.size()];
  if (latest == hash) return;
  latest = hash;
  declaration_.mentions.push_back(hash);
}

bool DeclarationGrammar::ends_with(const Token& token, const Token* next) {
  if (in_template_header(token, next)) return false;
  const bool outside = depth_ == 0;
  if (outside) look_at(token, next);
  depth_ += nesting(token);
  begun_ = true;
  before_ = token.text;
  if (depth_ < 0) return true;
  if (outside && token.is(';')) return true;
  // A semicolon that follows a brace at once belongs to what the brace ends.
  if (depth_ > 0 || !token.is('}') || ends_at_semicolon_) return false;
  ends_with_body_ = next == nullptr || !next->is(";");
  return ends_with_body_;
}

std::vector<NameHash> DeclarationGrammar::callable() const {
  return ends_with_body_ && !used_unnamed_ ? called_ : std::vector<NameHash>();
}

// The parameters of `template <...>`, in which an equals sign or a class is no part of what is declared.
bool DeclarationGrammar::in_template_header(const Token& token, const Token* next) {
  if (!in_header_) {
    in_header_ = depth_ == 0 && token.is("template") && next != nullptr && next->is("<");
    return in_header_;
  }
  nested_ += nesting(token);
  if (nested_ == 0) {
    if (token.is('<')) ++angles_;
    if (token.is('>')) --angles_;
    if (token.is(">>")) angles_ -= 2;
  }
  in_header_ = angles_ > 0;
  return true;
}

void DeclarationGrammar::look_at(const Token& token, const Token* next) {
  const bool leading = !begun_ || is_any_of({.text = before_}, {"inline", "static", "constexpr", "typedef"});
  if (leading && is_any_of(token, {"struct", "class", "union", "enum"})) ends_at_semicolon_ = true;
  if (token.is('=') && before_ != "operator") ends_at_semicolon_ = true;
  if (token.kind != Token::Kind::identifier) return;
  if (is_any_of(token, {"operator", "extern", "BITUNE_KERNEL", "__global__"})) used_unnamed_ = true;
  if (next != nullptr && next->is("(")) called_.push_back(hash_of_name(token.text));
}

}  // namespace bitune
