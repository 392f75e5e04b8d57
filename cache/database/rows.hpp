#pragma once

/// \file
/// Between rows and values. Private to the cache room.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "cache/tuning_database.hpp"

namespace bitune::database {

/// A row whose texts do not parse. `guarded` makes an Error (database) of it that names the file.
class Unreadable : public std::runtime_error {
 public:
  Unreadable(std::string_view what, std::int64_t row, std::string_view why);
};

/// A SELECT of all that `read_trial_row` reads, up to and without its WHERE. Trials are `t`, series `s`,
/// devices `d`, problems `p`, configurations `c`, kernels `k`, protocols `q`, sessions `e`, software `w`.
extern const std::string_view select_trial_rows;

/// The trial in the current row of a `select_trial_rows` statement. \throws Unreadable
[[nodiscard]] TrialRow read_trial_row(const SQLite::Statement& row);

/// Columns of `devices` after its id, in the order in which `bind_device` and `read_device` take them.
extern const std::string_view device_columns;

/// Binds the facts (20 less the id) from parameter `first` on.
void bind_device(SQLite::Statement& statement, int first, const DeviceInfo& device);
[[nodiscard]] DeviceInfo read_device(const SQLite::Statement& row, int first);

/// Number of columns that `device_columns` names.
inline constexpr int device_column_count = 19;

/// operation, key_type, value_type, key_order, n, rows from column `first` on.
void bind_problem(SQLite::Statement& statement, int first, const Problem& problem);
[[nodiscard]] Problem read_problem(const SQLite::Statement& row, int first);

/// A size as SQLite stores it. \throws Error (usage) from 2^63 on.
[[nodiscard]] std::int64_t stored_size(std::uint64_t size);

/// Samples as a JSON array, each in its shortest exact form, and back. \throws Error (database)
[[nodiscard]] std::string samples_text(const std::vector<double>& samples);
[[nodiscard]] std::vector<double> parse_samples(std::string_view text);

/// Whether the text is a timestamp of that form: timestamps are compared as texts.
[[nodiscard]] bool is_timestamp(std::string_view text) noexcept;

}  // namespace bitune::database
