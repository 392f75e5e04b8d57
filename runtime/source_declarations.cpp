#include "runtime/source_declarations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "runtime/source_tokens.hpp"

namespace bitune {
namespace {

constexpr std::string_view undefined_on_gpus = "BITUNE_EMULATED";

// No token begins with one of these, so that no two sequences of tokens make one text.
constexpr char token_end = '\0';
constexpr char directive_begin = '\1';
constexpr char directive_end = '\2';
constexpr char context_end = '\3';

using Tokens = std::span<const Token>;

bool is_any_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

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

/// A declaration that is being read.
class Draft {
 public:
  void add(const Token& token) {
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

  void add_directive(Tokens directive) {
    declaration_.text.push_back(directive_begin);
    // `#define f(x)` has arguments, `#define f (x)` has none.
    const bool has_arguments = directive.size() > 3 && directive[1].is("define") && directive[3].is('(') &&
                               !directive[3].after_space;
    for (const Token& token : directive.subspan(1)) add(token);
    if (has_arguments) declaration_.text.push_back(directive_begin);
    declaration_.text.push_back(directive_end);
    last_literal_ = {};
  }

  [[nodiscard]] bool empty() const { return empty_; }

  Declaration take(const SourceContext& context, std::vector<NameHash> callable) {
    Declaration made = std::move(declaration_);
    made.text.insert(0, context.text + context_end);
    made.mentions.insert(made.mentions.end(), context.mentions.begin(), context.mentions.end());
    made.callable = std::move(callable);
    *this = {};
    return made;
  }

 private:
  void mention(std::string_view name) {
    const NameHash hash = hash_of_name(name);
    NameHash& latest = latest_[hash % latest_.size()];
    if (latest == hash) return;
    latest = hash;
    declaration_.mentions.push_back(hash);
  }

  Declaration declaration_;
  std::array<NameHash, 64> latest_{};  // what was mentioned is mostly mentioned again soon
  std::string_view last_literal_;
  bool empty_ = true;
};

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

/// How far the reading of a declaration has come: what decides where it ends.
class Grammar {
 public:
  /// Tells whether the declaration ends with this token. `next` is the token behind it, if there is one.
  bool ends_with(const Token& token, const Token* next) {
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

  [[nodiscard]] int depth() const { return depth_; }

  /// What a plain function may be called: nobody but those who mention one of these can use it. Empty if it
  /// is none, or can be used unnamed (operators) or from outside (kernels).
  [[nodiscard]] std::vector<NameHash> callable() const {
    return ends_with_body_ && !used_unnamed_ ? called_ : std::vector<NameHash>();
  }

 private:
  // The parameters of `template <...>`, in which an equals sign or a class is no part of what is declared.
  bool in_template_header(const Token& token, const Token* next) {
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

  void look_at(const Token& token, const Token* next) {
    const bool leading =
        !begun_ || is_any_of({.text = before_}, {"inline", "static", "constexpr", "typedef"});
    if (leading && is_any_of(token, {"struct", "class", "union", "enum"})) ends_at_semicolon_ = true;
    if (token.is('=') && before_ != "operator") ends_at_semicolon_ = true;
    if (token.kind != Token::Kind::identifier) return;
    if (is_any_of(token, {"operator", "extern", "BITUNE_KERNEL", "__global__"})) used_unnamed_ = true;
    if (next != nullptr && next->is("(")) called_.push_back(hash_of_name(token.text));
  }

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

/// A condition of the preprocessor that is open.
struct Condition {
  enum class State : std::uint8_t {
    unknown,   // the compiler will know
    taken,     // it holds
    not_yet,   // what was there so far is left out
    finished,  // so is all that is still to come
  };
  State state = State::unknown;
  std::string text;  // of an unknown one: its directives so far
  std::vector<NameHash> mentions;
  int depth = 0;  // of braces, where it began
  std::vector<std::string> scopes;

  [[nodiscard]] bool leaves_out() const { return state == State::not_yet || state == State::finished; }
};

// Whether a directive's condition holds on GPUs, if that is known.
std::optional<bool> known_condition(Tokens directive) {
  const auto is = [directive](std::initializer_list<std::string_view> words) {
    return directive.size() == words.size() + 1 &&
           std::equal(words.begin(), words.end(), directive.begin() + 1,
                      [](std::string_view word, const Token& token) { return token.is(word); });
  };
  if (is({"ifdef", undefined_on_gpus}) || is({"if", "defined", "(", undefined_on_gpus, ")"})) return false;
  if (is({"ifndef", undefined_on_gpus}) || is({"if", "!", "defined", "(", undefined_on_gpus, ")"}))
    return true;
  return std::nullopt;
}

/// Thrown where cutting might lose something.
struct CannotCut {};

class Cutter {
 public:
  Cutter(Tokens tokens, const SourceContext& context) : tokens_(tokens), outer_(context) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].begins_line && tokens[i].is('#') && tokens[i + 1].is("undef"))
        undefined_.insert(tokens[i + 2].text);
    }
  }

  SourceParts cut() {
    for (std::size_t at = 0; at < tokens_.size();) {
      if (tokens_[at].begins_line && tokens_[at].is('#')) {
        const Tokens directive = directive_at(tokens_, at);
        at += directive.size();
        read_directive(directive);
      } else if (left_out()) {
        ++at;
      } else if (const std::size_t opened = draft_.empty() ? open_scope(at) : 0; opened > 0) {
        at += opened;
      } else {
        read(at++);
      }
    }
    if (!draft_.empty() || !conditions_.empty() || !scopes_.empty() || !held_.empty()) throw CannotCut();
    return std::move(parts_);
  }

  // From `at` on, up to what begins another line.
  static Tokens directive_at(Tokens tokens, std::size_t at) {
    std::size_t end = at + 1;
    while (end < tokens.size() && !tokens[end].begins_line) ++end;
    return tokens.subspan(at, end - at);
  }

 private:
  [[nodiscard]] bool left_out() const {
    return std::any_of(conditions_.begin(), conditions_.end(),
                       [](const Condition& condition) { return condition.leaves_out(); });
  }

  [[nodiscard]] SourceContext context() const {
    SourceContext made = outer_;
    for (const std::string& scope : scopes_) made.text += scope;
    for (const Condition& condition : conditions_) {
      made.text += condition.text;
      made.mentions.insert(made.mentions.end(), condition.mentions.begin(), condition.mentions.end());
    }
    return made;
  }

  // Length of `namespace a::b {` or `extern "C" {` at the place; 0 if there is none.
  std::size_t open_scope(std::size_t at) {
    std::size_t end = at;
    std::string scope;
    if (end < tokens_.size() && tokens_[end].is("inline")) scope = tokens_[end++].text;
    if (end == tokens_.size()) return 0;
    if (tokens_[end].is("extern")) {
      if (end + 2 >= tokens_.size() || tokens_[end + 1].kind != Token::Kind::literal ||
          !tokens_[end + 2].is('{'))
        return 0;
      scope.append("extern ").append(tokens_[end + 1].text).push_back(token_end);
      scopes_.push_back(scope);
      return end + 3 - at;
    }
    if (!tokens_[end].is("namespace")) return 0;
    scope += "::";
    for (++end;
         end < tokens_.size() && !tokens_[end].begins_line && !is_any_of(tokens_[end], {"{", ";", "="});
         ++end) {
      scope += tokens_[end].text;
    }
    if (end == tokens_.size() || !tokens_[end].is('{')) return 0;
    scopes_.push_back(scope);
    return end + 1 - at;
  }

  void read(std::size_t at) {
    const Token& token = tokens_[at];
    if (draft_.empty() && token.is('}')) {
      if (scopes_.empty()) throw CannotCut();
      scopes_.pop_back();
      return;
    }
    if (draft_.empty() && token.is(';')) return;
    if (draft_.empty()) begin_ = context();
    draft_.add(token);
    complete_ = grammar_.ends_with(token, at + 1 < tokens_.size() ? &tokens_[at + 1] : nullptr);
    if (!complete_) return;
    if (grammar_.depth() < 0) throw CannotCut();
    std::vector<NameHash> callable = grammar_.callable();
    grammar_ = {};
    if (held_.empty()) end_declaration(with_macros_ ? std::vector<NameHash>() : std::move(callable));
  }

  void end_declaration(std::vector<NameHash> callable) {
    parts_.declarations.push_back(draft_.take(begin_, std::move(callable)));
    with_macros_ = false;
  }

  void read_directive(Tokens directive) {
    if (directive.size() == 1) return;  // a lone # does nothing
    const Token& name = directive[1];
    if (is_any_of(name, {"if", "ifdef", "ifndef"})) return begin_condition(directive);
    if (is_any_of(name, {"elif", "elifdef", "elifndef", "else", "endif"}))
      return go_on_with_condition(directive);
    if (left_out()) return;
    if (name.is("include") && directive.size() == 3 && draft_.empty()) {
      const std::string_view path = directive[2].text;
      if (path.size() > 2 && path.front() == '"') {
        parts_.includes.push_back({path.substr(1, path.size() - 2), context()});
        return;
      }
    }
    if (name.is("pragma") && directive.size() == 3 && directive[2].is("once")) return;
    if (is_any_of(name, {"define", "undef"}) && directive.size() > 2) return read_macro(directive);
    // Whatever it is, it may act on all that follows.
    throw CannotCut();
  }

  void begin_condition(Tokens directive) {
    Condition condition;
    condition.depth = grammar_.depth();
    condition.scopes = scopes_;
    const auto known = known_condition(directive);
    if (left_out()) {
      condition.state = Condition::State::finished;
    } else if (known) {
      condition.state = *known ? Condition::State::taken : Condition::State::not_yet;
    } else {
      add_directive(condition, directive);
    }
    conditions_.push_back(std::move(condition));
  }

  void go_on_with_condition(Tokens directive) {
    if (conditions_.empty()) throw CannotCut();
    Condition& condition = conditions_.back();
    if (condition.scopes != scopes_) throw CannotCut();
    if (directive[1].is("endif")) {
      if (grammar_.depth() != condition.depth) throw CannotCut();
      if (condition.state == Condition::State::unknown && !draft_.empty()) draft_.add_directive(directive);
      conditions_.pop_back();
      return;
    }
    using State = Condition::State;
    const bool is_else = directive[1].is("else");
    if (condition.state == State::unknown) {
      if (grammar_.depth() != condition.depth) throw CannotCut();
      add_directive(condition, directive);
    } else if (condition.state == State::not_yet && is_else) {
      condition.state = State::taken;
    } else if (condition.state == State::not_yet) {
      throw CannotCut();  // "#elif" after what only the emulated device has: nobody needs it
    } else {
      condition.state = State::finished;
    }
  }

  // To the condition, and to the declaration in which it stands.
  void add_directive(Condition& condition, Tokens directive) {
    condition.text.push_back(directive_begin);
    for (const Token& token : directive.subspan(1)) {
      condition.text.append(token.text).push_back(token_end);
      if (token.kind == Token::Kind::identifier) condition.mentions.push_back(hash_of_name(token.text));
    }
    condition.text.push_back(directive_end);
    if (!draft_.empty()) draft_.add_directive(directive);
  }

  void read_macro(Tokens directive) {
    const std::string_view macro = directive[2].text;
    if (draft_.empty()) {
      if (directive[1].is("undef")) throw CannotCut();  // of another header's macro
      begin_ = context();
      complete_ = with_macros_ = true;
    }
    draft_.add_directive(directive);
    if (directive[1].is("undef")) {
      held_.erase(macro);
    } else if (with_macros_ && undefined_.contains(macro)) {
      held_.insert(macro);
    }
    if (with_macros_ && complete_ && held_.empty()) end_declaration({});
  }

  Tokens tokens_;
  SourceContext outer_;
  SourceParts parts_;
  std::vector<std::string> scopes_;
  std::vector<Condition> conditions_;
  std::set<std::string_view> undefined_;  // macros that the header undefines
  std::set<std::string_view> held_;       // those of them that are defined now: nothing is cut until then
  Draft draft_;
  SourceContext begin_;       // of the draft
  bool with_macros_ = false;  // the draft began with a macro
  bool complete_ = false;     // and could end here, were no macro held
  Grammar grammar_;
};

SourceParts as_one(Tokens tokens, const SourceContext& context) {
  SourceParts parts;
  Draft draft;
  for (std::size_t at = 0; at < tokens.size();) {
    if (!tokens[at].begins_line || !tokens[at].is('#')) {
      draft.add(tokens[at++]);
      continue;
    }
    const Tokens directive = Cutter::directive_at(tokens, at);
    at += directive.size();
    draft.add_directive(directive);
    if (directive.size() == 3 && directive[1].is("include") && directive[2].text.starts_with('"')) {
      parts.includes.push_back({directive[2].text.substr(1, directive[2].text.size() - 2), context});
    }
  }
  parts.declarations.push_back(draft.take(context, {}));
  return parts;
}

}  // namespace

SourceParts cut_source(std::string_view text, const SourceContext& context) {
  const std::vector<Token> tokens = tokens_of(text);
  try {
    return Cutter(tokens, context).cut();
  } catch (const CannotCut&) {
    return as_one(tokens, context);
  }
}

}  // namespace bitune
