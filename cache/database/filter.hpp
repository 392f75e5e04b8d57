#pragma once

/// \file
/// A TrialFilter as SQL. Private to the cache room.

#include <string>
#include <variant>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "cache/tuning_database.hpp"

namespace bitune::database {

/// The condition that a filter makes, on the tables as `select_trial_rows` names them, and the values of its
/// parameters.
struct Condition {
  std::string sql = "1";
  std::vector<std::variant<std::int64_t, std::string>> values;

  /// Binds the values from parameter `first` on; returns the one after them.
  int bind_to(SQLite::Statement& statement, int first = 1) const;
};

[[nodiscard]] Condition condition_of(const TrialFilter& filter);

/// " LIMIT n", or nothing without a limit.
[[nodiscard]] std::string limit_clause(const TrialFilter& filter);

}  // namespace bitune::database
