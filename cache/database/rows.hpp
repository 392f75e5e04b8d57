#pragma once

/// \file
/// Between rows and values. Private to the cache room.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "cache/database/columns.hpp"
#include "cache/tuning_database.hpp"

namespace bitune::database {

/// A row whose texts do not parse. `guarded` makes an Error (database) of it that names the file.
class Unreadable : public std::runtime_error {
 public:
  Unreadable(std::string_view what, std::int64_t row, std::string_view why);
};

/// A SELECT of all that `read_trial_row` reads, up to and without its WHERE. Trials are `t`, series `s`,
/// devices `d`, problems `p`, configurations `c`, kernels `k`, protocols `q`, sessions `e`, software `w`.
[[nodiscard]] const std::string& select_trial_rows();

/// The trial in the current row of a `select_trial_rows()` statement. \throws Unreadable
[[nodiscard]] TrialRow read_trial_row(const SQLite::Statement& row);

/// The columns of `problems` that say the problem, as `p`, and of `devices` that say its facts, as `d`: what
/// the two functions below read.
[[nodiscard]] std::string problem_columns();
[[nodiscard]] std::string device_columns();

/// Problems, as `p`, in the order in which people look for them: what is alike side by side, longer ones
/// after shorter ones.
inline constexpr std::string_view order_of_problems =
    "p.operation, p.key_width, p.key_type, p.value_bytes, p.index_bytes, p.key_order, p.stable, p.k, "
    "p.ragged, "
    "p.rows, p.n";

/// Both read from column `first` on, and move it behind what they read. \throws Error (usage)
[[nodiscard]] Problem read_problem(const SQLite::Statement& row, int& first);
[[nodiscard]] DeviceInfo read_device(const SQLite::Statement& row, int& first);

/// Samples as a JSON array, each in its shortest exact form, and back. \throws Error (database)
[[nodiscard]] std::string samples_text(const std::vector<double>& samples);
[[nodiscard]] std::vector<double> parse_samples(std::string_view text);

/// Whether the text is a timestamp of that form: timestamps are compared as texts.
[[nodiscard]] bool is_timestamp(std::string_view text) noexcept;

}  // namespace bitune::database
