#include "tuner/exchange/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "bitune/error.hpp"
#include "tuner/exchange/number_text.hpp"

namespace bitune::exchange {
namespace {

using PlainJson = nlohmann::json;

[[noreturn]] void refuse(const std::string& clause) { throw Error(ErrorCode::input, clause); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string shown(text.substr(0, most));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return fmt::format("'{}{}'", shown, text.size() > most ? "..." : "");
}

// Whether a text could do more to a terminal than be shown: it has control characters other than those of
// lines, in ASCII or in UTF-8 (U+0080 to U+009F).
bool controls_terminals(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool of_lines = byte == '\n' || byte == '\t' || byte == '\r';
    if ((byte < 0x20 && !of_lines) || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace

// Takes the parser's events and makes values of them; returning false stops the parser.
class DocumentBuilder : public nlohmann::json_sax<PlainJson> {
 public:
  explicit DocumentBuilder(const ReadLimits& limits) : limits_(limits) {}

  bool null() override { return put(Value::Kind::null, {}); }
  bool boolean(bool value) override {
    const bool go_on = put(Value::Kind::boolean, {});
    if (go_on) last_->boolean_ = value;
    return go_on;
  }
  bool number_integer(std::int64_t value) override { return put(Value::Kind::number, std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override {
    return put(Value::Kind::number, std::to_string(value));
  }
  bool number_float(double, const std::string& text) override { return put(Value::Kind::number, text); }
  bool string(std::string& text) override {
    if (controls_terminals(text)) return stop("a text has control characters in it");
    return put(Value::Kind::text, std::move(text));
  }
  bool binary(PlainJson::binary_t&) override { return stop("it holds binary data"); }

  bool start_object(std::size_t) override { return open(Value::Kind::object); }
  bool start_array(std::size_t) override { return open(Value::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    if (controls_terminals(name)) return stop("a name has control characters in it");
    if (!open_.back().seen.insert(name).second)
      return stop(fmt::format("member {} is there twice", in_quotes(name)));
    open_.back().value->names_.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_position = position;
    return stop(fmt::format("it is not JSON from byte {} on", position));
  }

  Value root;
  std::string problem;             // why the parser was stopped
  std::size_t error_position = 0;  // where the text was no JSON; 0 if it was for something else

 private:
  struct Open {
    Value* value;
    std::unordered_set<std::string> seen;  // names of an object's members so far
  };

  bool stop(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return false;
  }

  bool put(Value::Kind kind, std::string text) {
    if (++values_ > limits_.values) return stop(fmt::format("it has more than {} values", limits_.values));
    // An open value stays where it is: its list only grows again after it has been closed.
    last_ = open_.empty() ? &root : &open_.back().value->items_.emplace_back();
    last_->kind_ = kind;
    last_->text_ = std::move(text);
    return true;
  }

  bool open(Value::Kind kind) {
    if (open_.size() >= static_cast<std::size_t>(limits_.depth)) {
      return stop(fmt::format("it is nested more than {} deep", limits_.depth));
    }
    if (!put(kind, {})) return false;
    open_.push_back({last_, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const ReadLimits& limits_;
  std::vector<Open> open_;
  Value* last_ = nullptr;
  std::uint64_t values_ = 0;
};

namespace {

struct Parsed {
  Value value;
  std::string problem;        // what is wrong; empty if nothing is
  bool only_the_end = false;  // whether it is only that the text ends too soon
};

Parsed parse(std::string_view text, const ReadLimits& limits) {
  DocumentBuilder builder(limits);
  if (PlainJson::sax_parse(text.begin(), text.end(), &builder)) return {std::move(builder.root), {}, false};
  return {{}, builder.problem, builder.error_position >= text.size()};
}

}  // namespace

Value parse_document(std::string_view text, const ReadLimits& limits) {
  Parsed parsed = parse(text, limits);
  if (parsed.problem.empty()) return std::move(parsed.value);
  if (!parsed.only_the_end) refuse(parsed.problem);
  // An open cache ends in an entry, or in the comma after it.
  std::string_view open = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (!open.empty() && open.back() == ',') open.remove_suffix(1);
  if (!open.empty() && (open.back() == '}' || open.back() == '{')) {
    Parsed completed = parse(std::string(open) + "}\n}", limits);
    if (completed.problem.empty()) return std::move(completed.value);
  }
  refuse(parsed.problem);
}

bool Value::boolean() const {
  if (kind_ != Kind::boolean) refuse(fmt::format("{} is neither true nor false", shown()));
  return boolean_;
}

const std::string& Value::text() const {
  if (kind_ != Kind::text) refuse(fmt::format("{} is not a text", shown()));
  return text_;
}

std::int64_t Value::integer(std::int64_t least, std::int64_t most) const {
  std::int64_t value = 0;
  const char* const end = text_.data() + text_.size();
  const auto [read, error] = std::from_chars(text_.data(), end, value);
  if ((kind_ != Kind::number && kind_ != Kind::text) || read != end || error != std::errc{}) {
    refuse(fmt::format("{} is not an integer", shown()));
  }
  if (value < least || value > most) refuse(fmt::format("{} is not from {} to {}", shown(), least, most));
  return value;
}

double Value::amount(int decimal_shift) const {
  const auto value = kind_ == Kind::number ? shifted_value(text_, decimal_shift) : std::nullopt;
  if (!value || *value < 0) refuse(fmt::format("{} is not a time or amount", shown()));
  return *value;
}

const std::vector<Value>& Value::items() const {
  if (kind_ != Kind::list && kind_ != Kind::object) refuse(fmt::format("{} is not a list", shown()));
  return items_;
}

const std::vector<std::string>& Value::names() const {
  if (kind_ != Kind::object) refuse(fmt::format("{} is not an object", shown()));
  return names_;
}

const Value* Value::find(std::string_view name) const noexcept {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr : &items_[static_cast<std::size_t>(found - names_.begin())];
}

const Value& Value::at(std::string_view name) const {
  static_cast<void>(names());
  const Value* value = find(name);
  if (value == nullptr) refuse(fmt::format("member {} is missing", in_quotes(name)));
  return *value;
}

std::string Value::shown() const {
  switch (kind_) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean_ ? "true" : "false";
    case Kind::number:
      return text_.substr(0, 40);
    case Kind::text:
      return in_quotes(text_);
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "?";
}

}  // namespace bitune::exchange
