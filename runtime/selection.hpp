#pragma once

/// \file
/// Selection: which configuration sorts a problem on a device, and how it was found.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/tuning_database.hpp"
#include "model/configuration.hpp"
#include "model/device_info.hpp"

namespace bitune {

/// The rung of the ladder on which a configuration was found, best first.
enum class MatchKind { exact, near_size, near_device, shipped, defaulted };
/// "exact", "near size", "near device", "shipped", "default"
[[nodiscard]] std::string_view name_of(MatchKind kind) noexcept;

/// A configuration and how it was found.
struct Selection {
  Configuration configuration;
  MatchKind match = MatchKind::defaulted;
  std::optional<Candidate> evidence;  ///< the trial it came from; nothing for defaults
  std::optional<double> expected_us;  ///< for this problem; only where the evidence is exact
  std::string reason;                 ///< one sentence for people
};

/// Candidates of one source, already read: selection itself touches no database.
struct CandidateSet {
  std::vector<Candidate> user;
  std::vector<Candidate> shipped;
};

/// Walks the ladder: exact; same device, nearest size by |log2 ratio|; same compute capability, nearest SM
/// count; same major, lower minor (nearest first); shipped (the same steps); default. Below the first rung
/// the nearest length goes first, then the nearest number of rows (single arrays and rows never serve each
/// other); at the same distance the same key type goes before another of the same width, the same order
/// before the other, today's kernels before older ones, and the lower median. Trials of emulated devices
/// never serve a GPU, nor the reverse. A candidate must pass its variant's restrictions for this problem and
/// device; one of an unknown variant is passed over. A pure function. \throws Error (unavailable) if no
/// variant can sort this.
[[nodiscard]] Selection select(const Problem& problem, const DeviceInfo& device,
                               const CandidateSet& candidates);

/// Rungs below the databases: the default configuration for this problem from the device's limits.
[[nodiscard]] Selection default_selection(const Problem& problem, const DeviceInfo& device);

/// Path of the shipped, read-only database: `$BITUNE_SHIPPED_DB`, else beside the library's data; nothing if
/// there is none.
[[nodiscard]] std::optional<std::filesystem::path> shipped_database_path();

/// Reads the candidates for problems like this one. A missing or unreadable user database is no error:
/// `warning` says what was wrong.
[[nodiscard]] CandidateSet read_candidates(const Problem& problem, const std::filesystem::path& user_database,
                                           std::string* warning = nullptr);

}  // namespace bitune
