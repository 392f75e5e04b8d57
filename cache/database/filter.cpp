#include "cache/database/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cache/database/rows.hpp"
#include "model/key_type.hpp"

namespace bitune::database {

int Condition::bind_to(SQLite::Statement& statement, int first) const {
  int parameter = first;
  for (const auto& value : values) {
    std::visit([&](const auto& bound) { statement.bind(parameter, bound); }, value);
    ++parameter;
  }
  return parameter;
}

Condition condition_of(const TrialFilter& filter) {
  Condition condition;
  const auto require = [&condition](const char* sql, auto value) {
    condition.sql += fmt::format(" AND {}", sql);
    condition.values.emplace_back(std::move(value));
  };
  if (filter.device_digest) require("d.digest = ?", *filter.device_digest);
  if (filter.device_name_contains)
    require("instr(lower(d.name), lower(?)) > 0", *filter.device_name_contains);
  if (filter.operation) require("p.operation = ?", std::string(name_of(*filter.operation)));
  if (filter.value_bytes) require("p.value_bytes = ?", stored_size(*filter.value_bytes));
  if (filter.index_bytes) require("p.index_bytes = ?", stored_size(*filter.index_bytes));
  if (filter.key) require("p.key_type = ?", std::string(name_of(*filter.key)));
  if (filter.order) require("p.key_order = ?", std::string(name_of(*filter.order)));
  if (filter.n) require("p.n = ?", stored_size(*filter.n));
  if (filter.rows) require("p.rows = ?", stored_size(*filter.rows));
  if (filter.k) require("p.k = ?", stored_size(*filter.k));
  if (filter.variant) require("s.variant = ?", *filter.variant);
  if (filter.status) require("t.status = ?", std::string(name_of(*filter.status)));
  if (filter.kernel_digest) require("k.digest = ?", *filter.kernel_digest);
  return condition;
}

std::string limit_clause(const TrialFilter& filter) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return filter.limit == 0 ? "" : fmt::format(" LIMIT {}", std::min(filter.limit, most));
}

}  // namespace bitune::database
