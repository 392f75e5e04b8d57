#pragma once

/// \file
/// The tuning database: append-only evidence in one SQLite file.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cache/evidence.hpp"
#include "model/device_info.hpp"
#include "model/standing.hpp"
#include "model/statistics.hpp"
#include "model/trial.hpp"

namespace bitune {

/// How a database is opened.
enum class DatabaseMode {
  read_write,  ///< created if missing, migrated if older
  read_only,   ///< must exist; never written, not even migrated
};

/// A device row: facts, and how much is known of it.
struct DeviceRow {
  std::int64_t id = 0;
  DeviceInfo info;
  DeviceSoftware software;  ///< of the newest session
  std::uint64_t trials = 0;
  std::string last_seen;
};

/// One verified trial that is a candidate for selection, with where it was made.
struct Candidate {
  std::int64_t trial_id = 0;
  DeviceInfo device;
  std::string device_digest;
  Problem problem;
  Configuration configuration;
  std::string kernel_digest;
  double median_us = 0;
  bool finalist = false;

  [[nodiscard]] TrialRank rank() const noexcept { return {finalist, median_us, trial_id}; }
};

/// Which problems a query is about; unset fields do not restrict.
struct ProblemFilter {
  std::optional<Operation> operation;
  std::optional<KeyType> key;
  std::optional<std::uint32_t> value_bytes;
  std::optional<std::uint32_t> index_bytes;
  std::optional<Order> order;
  std::optional<std::uint64_t> n;
  std::optional<std::uint64_t> rows;
  std::optional<std::uint64_t> k;

  /// This problem, and others that differ from it in nothing of the above.
  [[nodiscard]] static ProblemFilter of(const Problem& problem) {
    return {problem.operation, problem.key, problem.value_bytes, problem.index_bytes,
            problem.order,     problem.n,   problem.rows,        problem.k};
  }
};

/// Which trials a query is about; unset fields do not restrict.
struct TrialFilter : ProblemFilter {
  std::optional<std::string> device_digest;
  std::optional<std::string> device_name_contains;
  std::optional<std::string> variant;
  std::optional<TrialStatus> status;
  std::optional<std::string> kernel_digest;
  std::uint64_t limit = 0;  ///< 0: no limit
};

/// A stored trial with its row number and where it was made.
struct TrialRow {
  std::int64_t id = 0;
  std::string device_digest;
  std::string device_name;
  DeviceSoftware software;
  Protocol protocol;
  std::string origin;  ///< the file it was read from; empty: bitune measured it
  Trial trial;
  std::optional<SampleStatistics> statistics;  ///< of its samples, as stored; nothing if there are none
};

/// Whether `a` is newer than `b`. Rows that were merged are not in the order of their times.
[[nodiscard]] inline bool is_newer(const TrialRow& a, const TrialRow& b) {
  return std::tie(a.trial.timestamp, a.id) > std::tie(b.trial.timestamp, b.id);
}

/// What a verified trial tells of how it was measured, without its samples.
struct MeasuredTrial {
  std::int64_t id = 0;
  std::int64_t session = 0;        ///< row number
  std::int64_t configuration = 0;  ///< row number
  std::string device_digest;
  std::string device_name;
  Problem problem;
  std::string variant;
  SampleStatistics statistics;
  std::uint64_t samples = 0;
  ClockSummary clock;
  int remeasured = 0;
};

/// Summary of one (device, problem): how many trials, how many of them ok, and the best.
struct ProblemSummary {
  std::string device_digest;
  std::string device_name;
  Problem problem;
  std::uint64_t trials = 0;
  std::uint64_t ok = 0;
  std::optional<TrialRow> best;
};

/// Trials read from a file, which share their circumstances.
struct ImportedTrials {
  DeviceInfo device;
  DeviceSoftware software;
  Protocol protocol;
  std::string origin;  ///< "cache 'h200.json'"; not empty
  std::vector<Trial> trials;
};

/// What came of trials that were to be imported.
struct ImportCounts {
  std::uint64_t added = 0;    ///< of configurations of which no file had told
  std::uint64_t updated = 0;  ///< of configurations of which a file had told something else
  std::uint64_t skipped = 0;  ///< were there already, measured or imported
};

/// What a merge added.
struct MergeCounts {
  std::uint64_t devices = 0;
  std::uint64_t problems = 0;
  std::uint64_t sessions = 0;
  std::uint64_t trials = 0;
  std::uint64_t known = 0;  ///< trials that were there already
};

/// The tuning database.
///
/// Thread safety: one object belongs to one thread at a time. Any number of objects, in any number of
/// processes, may be open on one file. It is in WAL mode, writers wait for each other (busy timeout), and
/// each trial is a transaction.
///
/// Every function throws Error (database) that names the file. A file is refused, and left untouched, if it
/// is no SQLite database, belongs to another program (application_id), is damaged, or was written by a newer
/// bitune.
class TuningDatabase {
 public:
  /// `$BITUNE_DB`, else `$XDG_DATA_HOME/bitune/tuning.db`, else `$HOME/.local/share/bitune/tuning.db`.
  [[nodiscard]] static std::filesystem::path default_path();

  TuningDatabase(const std::filesystem::path& path, DatabaseMode mode);
  ~TuningDatabase();
  TuningDatabase(TuningDatabase&&) noexcept;
  TuningDatabase& operator=(TuningDatabase&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;

  /// Tells whoever says that something is stored whether it is. \throws Error (database) if the file was
  /// deleted or replaced since it was opened
  void require_in_place() const;

  /// Starts a session (who measured, with which software and protocol). Returns its id, for `store`. Evidence
  /// that is read from a file names the file in `origin`, such as "cache 'h200.json'". Its trials are never
  /// `ok`, are not ranked, and replace nothing that was measured.
  std::int64_t begin_session(const DeviceInfo& device, const DeviceSoftware& software,
                             const Protocol& protocol, const std::string& origin = {});

  /// Stores one trial in a transaction of its own; returns its row id.
  std::int64_t store(std::int64_t session, const Trial& trial);

  /// Adds what files claim, in one transaction: all of it or nothing. A trial is known by its device,
  /// problem, configuration, samples and time of day, so that a second import of one file adds nothing. With
  /// `dry_run` nothing is kept. \throws Error (input) if a trial cannot be stored
  ImportCounts import_trials(const std::vector<ImportedTrials>& imports, bool dry_run = false);

  /// Adds all sessions and trials of other tuning databases, in one transaction: all of it or nothing. Rows
  /// are known by their content: the order of merging does not matter, and a second merge adds nothing. What
  /// the others verified counts as verified: merge what you trust. The others are only read. They may be
  /// older: what is opened to be read is migrated in memory. Those that `check` finds fault with are refused.
  /// With `dry_run` nothing is kept.
  MergeCounts merge(const std::vector<TuningDatabase>& others, bool dry_run = false);

  /// Canonical configuration texts already tried on this device for this problem with these kernels and this
  /// protocol (any status, but by bitune itself): what `--resume` skips. Pairs of (configuration text, kernel
  /// digest).
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> tried(const std::string& device_digest,
                                                                       const Problem& problem,
                                                                       const Protocol& protocol) const;

  /// The newest trial of the problem, configuration and kernels of `like` on this device with this protocol,
  /// that is no finalist's: what another session has measured meanwhile. Nothing if there is none.
  [[nodiscard]] std::optional<TrialRow> measured(const std::string& device_digest, const Trial& like,
                                                 const Protocol& protocol) const;

  /// The best verified trials for selection: for every device, problem size and variant, the one with the
  /// lowest median (finalist measurements first), of the problem's group (`group_of`).
  [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem) const;

  [[nodiscard]] std::vector<DeviceRow> devices() const;
  [[nodiscard]] std::vector<TrialRow> trials(const TrialFilter& filter) const;  ///< the last row first
  [[nodiscard]] std::optional<TrialRow> trial(std::int64_t id) const;
  /// Verified trials by device, problem and variant, the oldest of each first.
  [[nodiscard]] std::vector<MeasuredTrial> measurements(const TrialFilter& filter) const;
  /// For each device and problem the trial that would be selected for it; nothing is counted.
  [[nodiscard]] std::vector<TrialRow> best(const TrialFilter& filter) const;
  [[nodiscard]] std::vector<ProblemSummary> summaries(const TrialFilter& filter) const;

  /// All trials of the problem on the device that are ranked together: of each variant those under the
  /// protocol and with the kernels of its best. Empty if there are none.
  [[nodiscard]] Evidence evidence(const std::string& device_digest, const Problem& problem) const;

  /// Deletes matching trials (only rows that another one has superseded if `superseded_only`); returns how
  /// many. With `dry_run` it only counts them, and a read-only database will do.
  std::uint64_t prune(const TrialFilter& filter, bool superseded_only, bool dry_run = false);

  /// Integrity, foreign keys, schema, and that every stored text parses: one sentence a problem; empty if
  /// sound.
  [[nodiscard]] std::vector<std::string> check() const;

  /// Copies devices and best trials into a new file at `path` (shipped tunings are made so).
  void export_best(const std::filesystem::path& path) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bitune
