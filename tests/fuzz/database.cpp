// A tuning database of which a stranger has changed rows and bytes.

#include <fuzzer/FuzzedDataProvider.h>

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "cache/tuning_database.hpp"
#include "runtime/selection.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune::fuzz {
namespace {

Problem problem_of(std::uint64_t n) { return {{.key = KeyType::u32}, {.n = n}}; }

Trial trial_of(std::uint64_t n, const char* configuration, double median_us) {
  Trial trial;
  trial.problem = problem_of(n);
  trial.configuration = Configuration::parse(configuration);
  trial.kernel_digest = "kernels";
  trial.samples_us = {median_us + 1, median_us, median_us / 2};
  return trial;
}

// A folder with a small database, made once. Each input gets a copy.
class Model {
 public:
  Model() {
    std::string name = (std::filesystem::temp_directory_path() / "bitune-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "there is no folder for the database");
    folder_ = name;
    const auto path = folder_ / "model.db";
    fill(path);
    {
      SQLite::Database plain(path.string(), SQLite::OPEN_READWRITE);
      plain.exec("PRAGMA journal_mode = DELETE");
      SQLite::Statement columns(plain,
                                "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                                "WHERE m.type = 'table' ORDER BY m.name, c.cid");
      while (columns.executeStep()) {
        columns_.emplace_back(columns.getColumn(0).getString(), columns.getColumn(1).getString());
      }
    }
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~Model() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  /// Names of a table and one of its columns.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& columns() const { return columns_; }

 private:
  static void fill(const std::filesystem::path& path) {
    TuningDatabase db(path, DatabaseMode::read_write);
    const DeviceSoftware software{"GPU-1", "580.95", "nvrtc 13.0"};
    const std::int64_t session = db.begin_session(test::h200(), software, {});
    db.store(session, trial_of(1024, "warp(block_size_x=32,items_per_thread=4)", 5));
    db.store(session, trial_of(1024, "warp(block_size_x=64,items_per_thread=4)", 4));
    db.store(session, trial_of(4096, "block(block_size_x=64,items_per_thread=4)", 9));
    Trial failed = trial_of(4096, "block(block_size_x=32,items_per_thread=4)", 9);
    failed.samples_us.clear();
    failed.status = TrialStatus::launch_failed;
    failed.message = "too many resources";
    db.store(session, failed);
    Trial claimed = trial_of(4096, "block(block_size_x=128,items_per_thread=4)", 3);
    claimed.status = TrialStatus::unverified;
    db.import_trials({{test::h200(), software, {}, "cache 'a.json'", {claimed}}});
  }

  std::filesystem::path folder_;
  std::string bytes_;
  std::vector<std::pair<std::string, std::string>> columns_;
};

void bind_some_value(SQLite::Statement& statement, FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 4)) {
    case 0:
      return statement.bind(1);  // NULL
    case 1:
      return statement.bind(1, input.ConsumeIntegral<std::int64_t>());
    case 2:
      return statement.bind(1, input.ConsumeFloatingPoint<double>());
    case 3:
      return statement.bind(1, input.ConsumeRandomLengthString(64));
    default:
      const std::string blob = input.ConsumeRandomLengthString(64);
      return statement.bind(1, blob.data(), static_cast<int>(blob.size()));
  }
}

// Rows are changed without regard to constraints and references; what SQLite refuses stays as it is.
void change_rows(const Model& model, const std::filesystem::path& path, FuzzedDataProvider& input) {
  SQLite::Database db(path.string(), SQLite::OPEN_READWRITE);
  db.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  for (int left = input.ConsumeIntegralInRange(0, 6); left > 0; --left) {
    const auto& [table, column] =
        model.columns().at(input.ConsumeIntegralInRange<std::size_t>(0, model.columns().size() - 1));
    const int row = input.ConsumeIntegralInRange(0, 6);
    const std::string where = " WHERE rowid = " + std::to_string(row);
    try {
      if (input.ConsumeIntegralInRange(0, 7) == 0) {
        db.exec("DELETE FROM \"" + table + "\"" + where);
        continue;
      }
      SQLite::Statement update(db, "UPDATE \"" + table + "\" SET \"" + column + "\" = ?" + where);
      bind_some_value(update, input);
      update.exec();
    } catch (const SQLite::Exception&) {  // refused by SQLite itself
    }
  }
}

void change_bytes(std::string& bytes, FuzzedDataProvider& input) {
  for (int left = input.ConsumeIntegralInRange(0, 3); left > 0; --left) {
    bytes.at(input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)) = input.ConsumeIntegral<char>();
  }
}

// All that `bitune db` and selection read. Whether none of it was refused.
bool reads_whole(const std::filesystem::path& path) {
  return accepts([&] {
    const TuningDatabase db(path, DatabaseMode::read_only);
    static_cast<void>(db.devices());
    static_cast<void>(db.trials({}));
    static_cast<void>(db.trial(1));
    static_cast<void>(db.measurements({}));
    static_cast<void>(db.best({}));
    static_cast<void>(db.summaries({}));
    static_cast<void>(db.evidence(test::h200().digest(), problem_of(1024)));
    static_cast<void>(db.tried(test::h200().digest(), problem_of(1024), {}));
    const CandidateSet candidates{db.candidates(problem_of(2048)), {}};
    static_cast<void>(select(problem_of(2048), test::h200(), candidates));
  });
}

}  // namespace

void database(std::string_view bytes) {
  static const Model model;
  FuzzedDataProvider input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto path = model.folder() / "changed.db";
  std::string changed = model.bytes();
  const bool damage = input.ConsumeBool();
  if (damage) change_bytes(changed, input);
  std::ofstream(path, std::ios::binary) << changed;
  if (!damage) change_rows(model, path, input);

  std::vector<std::string> faults;
  const bool checked = accepts([&] { faults = TuningDatabase(path, DatabaseMode::read_only).check(); });
  const bool whole = reads_whole(path);
  require(!checked || !faults.empty() || whole, "a database that 'check' finds sound cannot be read");
}

}  // namespace bitune::fuzz
