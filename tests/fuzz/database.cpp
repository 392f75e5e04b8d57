// A tuning database of which a stranger has changed rows and bytes.

#include <fuzzer/FuzzedDataProvider.h>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "cache/database/connection.hpp"
#include "cache/database/queries.hpp"
#include "cache/tuning_database.hpp"
#include "runtime/selection.hpp"
#include "tests/fuzz/fast_sqlite.hpp"
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

// A small database, made once: as a connection in memory, where each input changes rows until it is rolled
// back, and as bytes of a file.
class Model {
 public:
  /// keeps_file: until the model goes.
  explicit Model(bool keeps_file) : memory_(in_memory()) {
    std::string name = (std::filesystem::temp_directory_path() / "bitune-fuzz-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "there is no folder for the database");
    folder_ = name;
    fill(path());
    SQLite::Database plain(path().string(), SQLite::OPEN_READWRITE);
    // Small pages: most bytes of the file mean something.
    plain.exec("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM");
    SQLite::Backup(memory_, plain).executeStep();
    memory_.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    SQLite::Statement columns(memory_,
                              "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                              "WHERE m.type = 'table' ORDER BY m.name, c.cid");
    while (columns.executeStep()) {
      columns_.emplace_back(columns.getColumn(0).getString(), columns.getColumn(1).getString());
    }
    std::ifstream file(path(), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (!keeps_file) remove_file();
  }
  ~Model() { remove_file(); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "model.db"; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] SQLite::Database& memory() { return memory_; }

  /// Names of a table and one of its columns.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& columns() const { return columns_; }

 private:
  void remove_file() const {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  static SQLite::Database in_memory() {
    take_memory_from_lists();
    return {":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  }

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
  SQLite::Database memory_;
  std::string bytes_;
  std::vector<std::pair<std::string, std::string>> columns_;
};

void bind_some_value(SQLite::Statement& statement, int place, FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 4)) {
    case 0:
      return statement.bind(place);  // NULL
    case 1:
      return statement.bind(place, input.ConsumeIntegral<std::int64_t>());
    case 2:
      return statement.bind(place, input.ConsumeFloatingPoint<double>());
    case 3:
      return statement.bind(place, input.ConsumeRandomLengthString(64));
    default:
      const std::string blob = input.ConsumeRandomLengthString(64);
      return statement.bind(place, blob.data(), static_cast<int>(blob.size()));
  }
}

// Rows are changed without regard to constraints and references; what SQLite refuses stays as it is.
void change_rows(Model& model, FuzzedDataProvider& input) {
  SQLite::Database& db = model.memory();
  for (int left = input.ConsumeIntegralInRange(0, 6); left > 0; --left) {
    const auto& [table, column] =
        model.columns().at(input.ConsumeIntegralInRange<std::size_t>(0, model.columns().size() - 1));
    const int row = input.ConsumeIntegralInRange(0, 6);
    const bool whole = input.ConsumeIntegralInRange(0, 7) == 0;
    try {
      SQLite::Statement change(db, (whole ? "DELETE FROM \"" + table + "\""
                                          : "UPDATE \"" + table + "\" SET \"" + column + "\" = ?2") +
                                       " WHERE rowid = ?1");
      change.bind(1, row);
      if (!whole) bind_some_value(change, 2, input);
      change.exec();
    } catch (const SQLite::Exception&) {  // refused by SQLite itself
    }
  }
}

void change_bytes(std::string& bytes, FuzzedDataProvider& input) {
  for (int left = input.ConsumeIntegralInRange(0, 3); left > 0; --left) {
    bytes.at(input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1)) = input.ConsumeIntegral<char>();
  }
}

// All that `bitune db` and selection read.
using Read = void (*)(const SQLite::Database& db);
const std::array<Read, 9> reads = {
    [](const SQLite::Database& db) { static_cast<void>(database::devices(db)); },
    [](const SQLite::Database& db) { static_cast<void>(database::trials(db, {})); },
    [](const SQLite::Database& db) { static_cast<void>(database::trial(db, 1)); },
    [](const SQLite::Database& db) { static_cast<void>(database::measurements(db, {})); },
    [](const SQLite::Database& db) { static_cast<void>(database::best(db, {})); },
    [](const SQLite::Database& db) { static_cast<void>(database::summaries(db, {})); },
    [](const SQLite::Database& db) {
      static_cast<void>(database::evidence(db, test::h200().digest(), problem_of(1024)));
    },
    [](const SQLite::Database& db) {
      static_cast<void>(database::tried(db, test::h200().digest(), problem_of(1024), {}));
    },
    [](const SQLite::Database& db) {
      const CandidateSet candidates{database::candidates(db, problem_of(2048)), {}};
      static_cast<void>(select(problem_of(2048), test::h200(), candidates));
    }};

template <class Function>
bool answers(const SQLite::Database& db, Function&& read) {
  return accepts([&] { database::guarded("a file", "reading", [&] { read(db); }); });
}

bool is_sound(const SQLite::Database& db) {
  std::vector<std::string> faults;
  return answers(db, [&](const SQLite::Database& open) { faults = database::check(open); }) && faults.empty();
}

constexpr const char* contradiction = "a database that 'check' finds sound cannot be read";

}  // namespace

// One of the reads: the next input may choose another.
void database(std::string_view bytes) {
  static Model& model = *[] {
    auto* const made = new Model(false);
    keep_statements_of(made->memory().getHandle());
    return made;
  }();
  FuzzedDataProvider input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const Read read = reads.at(input.ConsumeIntegralInRange<std::size_t>(0, reads.size() - 1));
  SQLite::Statement(model.memory(), "SAVEPOINT input").exec();
  change_rows(model, input);
  const bool sound = is_sound(model.memory());
  require(answers(model.memory(), read) || !sound, contradiction);
  SQLite::Statement(model.memory(), "ROLLBACK TO input").exec();
  SQLite::Statement(model.memory(), "RELEASE input").exec();
}

void database_file(std::string_view bytes) {
  static const Model model(true);
  FuzzedDataProvider input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::string changed = model.bytes();
  change_bytes(changed, input);
  std::ofstream(model.path(), std::ios::binary) << changed;
  accepts([&] {
    const auto db = database::open(model.path(), DatabaseMode::read_only);
    const bool sound = is_sound(*db);
    const bool whole = std::all_of(reads.begin(), reads.end(), [&](Read read) { return answers(*db, read); });
    require(whole || !sound, contradiction);
  });
}

}  // namespace bitune::fuzz
