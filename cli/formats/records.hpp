#pragma once

/// \file
/// Records that travel whole: those of a structured .npy array, or the lines of a CSV file.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/formats/format.hpp"
#include "cli/formats/input_file.hpp"
#include "cli/formats/key_array.hpp"
#include "cli/formats/output_file.hpp"

namespace bitune::cli {

/// A list of records with fields. Not changed once it is read, so any threads may use it.
class Records {
 public:
  explicit Records(std::string name) : name_(std::move(name)) {}
  virtual ~Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// The name of the file, or "standard input".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Number of records.
  [[nodiscard]] virtual std::uint64_t count() const = 0;

  /// The names of the fields, in order.
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;

  /// The field of this name; of CSV also by its number, from 1 on, where no name is such. Nothing if there is
  /// none. \throws Error (usage) if several have this name
  [[nodiscard]] virtual std::optional<std::size_t> find(const std::string& name) const = 0;

  /// A field of all records as keys. `type`: as --type says. \throws Error (input, usage) naming file and
  /// field
  [[nodiscard]] virtual KeyArray keys(std::size_t field, std::optional<KeyType> type) const = 0;

  /// Whether they can be written in this format.
  [[nodiscard]] virtual bool has_format(Format format) const = 0;

  /// Writes the records that the indices name, in their order. Each index is below count().
  virtual void write(OutputFile& file, Format format, const KeyArray& order) const = 0;

 private:
  std::string name_;
};

/// A structured .npy array of one dimension. \throws Error (input, io) naming the file
[[nodiscard]] std::unique_ptr<Records> read_npy_records(InputFile& file);

/// CSV as RFC 4180 has it: fields may be quoted, with separators, quotes and ends of lines in them. The
/// separator is a tab if the file's name ends in .tsv; else the one of comma, semicolon and tab that the
/// first line has most of. Without a header the columns are named 1, 2, and so on. \throws Error (input, io)
/// naming the file
[[nodiscard]] std::unique_ptr<Records> read_csv_records(InputFile& file, bool has_header);

}  // namespace bitune::cli
