#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "bitune/error.hpp"
#include "cli/formats/numbers.hpp"
#include "cli/formats/records.hpp"
#include "cli/formats/text.hpp"

namespace bitune::cli {
namespace {

/// One field of a record as it stands there, with its quotes if it has them.
struct CsvField {
  std::string_view text;
  std::string_view rest;       ///< what follows the field
  bool ends_record = false;    ///< an end of line or of the text follows, which `rest` begins with
  bool lacks_a_quote = false;  ///< the text ends within quotes
};

/// The first field of the text.
CsvField first_field(std::string_view text, char separator) {
  std::size_t at = 0;
  bool lacks_a_quote = false;
  if (text.starts_with('"')) {
    for (at = 1; at < text.size() && (text[at] != '"' || text.substr(at, 2) == "\"\""); ++at) {
      if (text[at] == '"') ++at;
    }
    lacks_a_quote = at >= text.size();
  }
  at = std::min(text.find_first_of(std::string{separator, '\n'}, at), text.size());
  const bool ends = at == text.size() || text[at] == '\n';
  return {text.substr(0, at), text.substr(ends ? at : at + 1), ends, lacks_a_quote};
}

/// What a field says: without blanks around it and its quotes, and with single quotes for doubled ones.
std::string content_of(std::string_view field) {
  field = trimmed(field);
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  field = field.substr(1, field.size() - 2);
  std::string content;
  for (std::size_t i = 0; i < field.size(); ++i) {
    content += field[i];
    if (field.substr(i, 2) == "\"\"") ++i;
  }
  return content;
}

char separator_of_line(std::string_view line, const std::string& file) {
  if (file.ends_with(".tsv")) return '\t';
  constexpr std::array<char, 3> separators = {',', ';', '\t'};
  const auto occurrences = [line](char c) { return std::count(line.begin(), line.end(), c); };
  return *std::max_element(separators.begin(), separators.end(),
                           [&](char a, char b) { return occurrences(a) < occurrences(b); });
}

class CsvRecords : public Records {
 public:
  CsvRecords(InputFile& file, bool has_header)
      : Records(file.name()), limit_(file.limit()), bytes_(file.read_all()) {
    std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    constexpr std::size_t enough = 4096;
    if (!looks_like_text(text.substr(0, enough))) {
      throw Error(ErrorCode::input,
                  fmt::format("{} is no text: --key takes CSV, or a structured .npy array", name()));
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    while (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    const std::string_view first_line = text.substr(0, text.find('\n'));
    separator_ = separator_of_line(first_line, name());
    end_of_line_ = first_line.ends_with('\r') && first_line.size() < text.size() ? "\r\n" : "\n";
    split(text);
    name_columns(has_header);
  }

  [[nodiscard]] std::uint64_t count() const override { return records_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const override {
    const auto same = std::count(names_.begin(), names_.end(), name);
    if (same > 1) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} has {} columns named '{}'; give the number of one, from 1 on",
                              Records::name(), same, name));
    }
    if (same == 1)
      return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number < 1 || number > names_.size()) {
      return std::nullopt;
    }
    return number - 1;
  }

  [[nodiscard]] KeyArray keys(std::size_t field, std::optional<KeyType> type) const override {
    const std::string what = fmt::format("{}, column '{}'", name(), names_.at(field));
    const NumberSource source{.name = what,
                              .count = count(),
                              .hint = [](std::uint64_t) { return std::string(); },
                              .visit = [&](const NumberVisitor& visit) { for_each(field, what, visit); }};
    return parse_numbers(source, type, limit_, bytes_.size() + records_.size() * sizeof(std::string_view));
  }

  [[nodiscard]] bool has_format(Format format) const override { return format == Format::text; }

  void write(OutputFile& file, Format, const KeyArray& order) const override {
    constexpr std::size_t bytes_a_write = 1 << 20;
    std::string text(header_);
    if (has_header_) text += end_of_line_;
    for (std::uint64_t i = 0; i < order.count(); ++i) {
      text += records_[index_at(order, i)];
      text += end_of_line_;
      if (text.size() >= bytes_a_write) {
        file.write(text);
        text.clear();
      }
    }
    file.write(text);
  }

 private:
  void split(std::string_view text) {
    std::uint64_t line = 1;
    while (!text.empty()) {
      std::string_view rest = text;
      for (CsvField field; !field.ends_record; rest = field.rest) {
        field = first_field(rest, separator_);
        if (field.lacks_a_quote) {
          throw Error(
              ErrorCode::input,
              fmt::format("{}, line {}: a field begins with a quote that nothing closes", name(), line));
        }
      }
      std::string_view record = text.substr(0, text.size() - rest.size());
      line += static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n')) + 1;
      while (record.ends_with('\r')) record.remove_suffix(1);
      records_.push_back(record);
      text = rest.substr(std::min<std::size_t>(1, rest.size()));
    }
    limit_.check(bytes_.size() + records_.size() * sizeof(std::string_view), name());
  }

  void name_columns(bool has_header) {
    if (records_.empty()) return;
    std::string_view rest = records_.front();
    for (CsvField field; !field.ends_record; rest = field.rest) {
      field = first_field(rest, separator_);
      names_.push_back(has_header ? content_of(field.text) : fmt::format("{}", names_.size() + 1));
    }
    if (!has_header) return;
    has_header_ = true;
    // A byte order mark stays where it is.
    const char* begin = reinterpret_cast<const char*>(bytes_.data());
    header_ = {begin, static_cast<std::size_t>(records_.front().data() + records_.front().size() - begin)};
    records_.erase(records_.begin());
  }

  /// Calls visit(number, line) with this column of each record.
  void for_each(std::size_t column, const std::string& what, const NumberVisitor& visit) const {
    const auto lines_in = [](std::string_view text) {
      return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    };
    std::uint64_t line = has_header_ ? lines_in(header_) + 1 : 1;
    for (const std::string_view record : records_) {
      CsvField field = first_field(record, separator_);
      for (std::size_t c = 0; c < column; ++c) {
        if (field.ends_record) {
          throw Error(ErrorCode::input,
                      fmt::format("{}, line {}: the line has {} fields only", what, line, c + 1));
        }
        field = first_field(field.rest, separator_);
      }
      if (!visit(
              field.text.find('"') == std::string_view::npos ? trimmed(field.text) : content_of(field.text),
              line)) {
        return;
      }
      line += lines_in(record);
    }
  }

  ReadLimit limit_;
  std::vector<std::byte> bytes_;
  char separator_ = ',';
  std::string end_of_line_;
  bool has_header_ = false;
  std::string_view header_;                ///< these point into the bytes
  std::vector<std::string_view> records_;  ///< without their ends of lines
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Records> read_csv_records(InputFile& file, bool has_header) {
  return std::make_unique<CsvRecords>(file, has_header);
}

}  // namespace bitune::cli
