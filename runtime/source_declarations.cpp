#include "runtime/source_declarations.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "runtime/source_draft.hpp"

namespace bitune {
namespace {

constexpr std::string_view undefined_on_gpus = "BITUNE_EMULATED";

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
  DeclarationDraft draft_;
  SourceContext begin_;       // of the draft
  bool with_macros_ = false;  // the draft began with a macro
  bool complete_ = false;     // and could end here, were no macro held
  DeclarationGrammar grammar_;
};

SourceParts as_one(Tokens tokens, const SourceContext& context) {
  SourceParts parts;
  DeclarationDraft draft;
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
