#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "bitune/error.hpp"
#include "cache/database/additions.hpp"
#include "cache/database/rows.hpp"
#include "cache/database/writes.hpp"
#include "model/key_type.hpp"
#include "model/timestamp.hpp"

namespace bitune::database {
namespace {

// All trials of one configuration on one device for one problem, and whether an earlier file told of them.
std::string trials_of_configuration() {
  return fmt::format(R"sql(
SELECT t.status, t.timestamp, t.samples, s.imported AND t.id <= ?3
FROM problems p
CROSS JOIN series s ON s.problem_id = p.id
CROSS JOIN devices d ON d.id = s.device_id
CROSS JOIN configurations c
CROSS JOIN trials t ON t.series_id = s.id AND t.configuration_id = c.id
WHERE d.digest = ?1 AND c.text = ?2 AND {})sql",
                     column_match<Problem>("p.", 4));
}

enum class Standing { unknown, told_otherwise, known };

class Importer {
 public:
  explicit Importer(SQLite::Database& db) : db_(db), same_(db, trials_of_configuration()) {
    same_.bind(3, db.execAndGet("SELECT coalesce(max(id), 0) FROM trials").getInt64());
  }

  void add(const ImportedTrials& imported, ImportCounts& counts) {
    const std::string digest = imported.device.digest();
    std::optional<std::int64_t> session;
    for (const Trial& trial : imported.trials) {
      const Standing standing = standing_of(digest, trial);
      if (standing == Standing::known) {
        ++counts.skipped;
        continue;
      }
      if (!session) {
        session = write_session(db_, imported.device, imported.software, imported.protocol, imported.origin,
                                timestamp_now());
      }
      write_trial(db_, *session, trial);
      ++(standing == Standing::unknown ? counts.added : counts.updated);
    }
  }

 private:
  Standing standing_of(const std::string& digest, const Trial& trial) {
    same_.reset();
    bind_fields(same_, 4, trial.problem);
    same_.bind(1, digest);
    same_.bind(2, trial.configuration.text());
    const std::string samples = samples_text(trial.samples_us);
    const std::string status(name_of(trial.status));
    Standing standing = Standing::unknown;
    while (same_.executeStep()) {
      const std::string stored = same_.getColumn(0).getString();
      // What bitune verified here comes back from a file as a claim.
      const bool same_status =
          stored == status || (stored == "ok" && trial.status == TrialStatus::unverified);
      const bool same_time = trial.timestamp.empty() || same_.getColumn(1).getString() == trial.timestamp;
      if (same_status && same_time && same_.getColumn(2).getString() == samples) return Standing::known;
      if (same_.getColumn(3).getInt() == 1) standing = Standing::told_otherwise;
    }
    return standing;
  }

  SQLite::Database& db_;
  SQLite::Statement same_;
};

}  // namespace

ImportCounts import_trials(SQLite::Database& db, const std::vector<ImportedTrials>& imports, bool dry_run) {
  ImportCounts counts;
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  try {
    Importer importer(db);
    for (const ImportedTrials& imported : imports) importer.add(imported, counts);
  } catch (const Error& error) {
    throw Error(ErrorCode::input, error.what());
  }
  if (!dry_run) transaction.commit();
  return counts;
}

}  // namespace bitune::database
