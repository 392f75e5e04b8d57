#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "cache/database/additions.hpp"

namespace bitune::database {
namespace {

using Ids = std::unordered_map<std::int64_t, std::int64_t>;  // of the other database -> of this one

// A table, and the columns by which a row is known; all if none is named.
struct Table {
  const char* name;
  std::vector<std::string> known_by;
};

// All tables, each after those that it refers to.
std::vector<Table> tables() {
  // The digest of a device stands for its facts: drivers reserve different amounts of its memory. What is
  // computed from the samples of a trial may be computed otherwise one day.
  return {{"devices", {"digest"}},
          {"software", {}},
          {"protocols", {}},
          {"problems", {}},
          {"kernels", {}},
          {"configurations", {}},
          {"sessions", {}},
          {"series", {}},
          {"trials",
           {"session_id", "series_id", "configuration_id", "timestamp", "finalist", "status", "samples"}}};
}

struct Column {
  std::string name;
  std::string refers_to;  // table; empty if it refers to none
};

// The columns of a table but its id, and those that triggers keep: they alone have a default.
std::vector<Column> columns_of(const SQLite::Database& db, const std::string& table) {
  std::map<std::string, std::string> references;
  SQLite::Statement keys(db, fmt::format("PRAGMA foreign_key_list({})", table));
  while (keys.executeStep()) references[keys.getColumn(3).getString()] = keys.getColumn(2).getString();
  std::vector<Column> columns;
  SQLite::Statement info(db, fmt::format("PRAGMA table_info({})", table));
  while (info.executeStep()) {
    std::string name = info.getColumn(1).getString();
    if (name == "id" || !info.getColumn(4).isNull()) continue;
    const std::string target = references[name];
    columns.push_back({std::move(name), target});
  }
  return columns;
}

// Copies the rows of one table that are not there yet.
class TableMerger {
 public:
  struct Counts {
    std::uint64_t added = 0;
    std::uint64_t known = 0;
  };

  TableMerger(SQLite::Database& to, const Table& table) : columns_(columns_of(to, table.name)) {
    std::vector<std::string> names;
    std::vector<std::string> places;
    std::vector<std::string> conditions;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      names.push_back(columns_[i].name);
      places.push_back(fmt::format("?{}", i + 1));
      const auto& known_by = table.known_by;
      if (known_by.empty() ||
          std::find(known_by.begin(), known_by.end(), columns_[i].name) != known_by.end()) {
        conditions.push_back(fmt::format("{} IS ?{}", columns_[i].name, i + 1));
      }
    }
    read_ = fmt::format("SELECT id, {} FROM {} ORDER BY id", fmt::join(names, ", "), table.name);
    find_.emplace(to, fmt::format("SELECT id FROM {} WHERE {}", table.name, fmt::join(conditions, " AND ")));
    insert_.emplace(to, fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, fmt::join(names, ", "),
                                    fmt::join(places, ", ")));
  }

  Counts merge(SQLite::Database& to, const SQLite::Database& from, std::map<std::string, Ids>& ids,
               Ids& mine) {
    Counts counts;
    SQLite::Statement row(from, read_);
    while (row.executeStep()) {
      bind(*find_, row, ids, true);
      const std::int64_t other_id = row.getColumn(0).getInt64();
      if (find_->executeStep()) {
        mine[other_id] = find_->getColumn(0).getInt64();
        ++counts.known;
      } else {
        bind(*insert_, row, ids, false);
        insert_->exec();
        mine[other_id] = to.getLastInsertRowid();
        ++counts.added;
      }
    }
    return counts;
  }

 private:
  // Binds the row's values, references replaced by those of this database.
  void bind(SQLite::Statement& statement, const SQLite::Statement& row, const std::map<std::string, Ids>& ids,
            bool only_named) const {
    statement.reset();
    statement.clearBindings();
    const int bound = statement.getBindParameterCount();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int place = static_cast<int>(i) + 1;
      if (only_named && place > bound) break;
      const SQLite::Column value = row.getColumn(place);
      if (!columns_[i].refers_to.empty()) {
        statement.bind(place, ids.at(columns_[i].refers_to).at(value.getInt64()));
      } else if (value.isInteger()) {
        statement.bind(place, value.getInt64());
      } else if (value.isFloat()) {
        statement.bind(place, value.getDouble());
      } else if (value.isText()) {
        statement.bind(place, value.getString());
      }
    }
  }

  std::vector<Column> columns_;
  std::string read_;
  std::optional<SQLite::Statement> find_;
  std::optional<SQLite::Statement> insert_;
};

}  // namespace

MergeCounts merge(SQLite::Database& db, const std::vector<const SQLite::Database*>& others, bool dry_run) {
  std::map<std::string, TableMerger::Counts> counts;
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  for (const SQLite::Database* other : others) {
    std::map<std::string, Ids> ids;
    for (const Table& table : tables()) {
      Ids& mine = ids[table.name];
      const auto merged = TableMerger(db, table).merge(db, *other, ids, mine);
      counts[table.name].added += merged.added;
      counts[table.name].known += merged.known;
    }
  }
  if (!dry_run) transaction.commit();
  return {counts["devices"].added, counts["problems"].added, counts["sessions"].added, counts["trials"].added,
          counts["trials"].known};
}

}  // namespace bitune::database
