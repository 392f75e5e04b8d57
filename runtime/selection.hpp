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

/// How a configuration was found: tuned by the user for this problem on this device, for another size, or on
/// another device; shipped with bitune; or the default.
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

/// Walks the ladder, and takes the first candidate that passes its variant's restrictions for this problem
/// and device:
///
/// 1. Trials of this very device, the user's and the shipped ones together: the nearest problem first, then
/// the
///    nearest number of rows. At the same distance the user's go before the shipped ones. A user's trial of
///    this very problem is the match `exact`.
/// 2. The user's trials of other devices. Those of the same compute capability go first, the nearest number
/// of
///    SMs before others; then those of the same major and a lower minor one, the nearest first; then as in 1.
/// 3. The shipped trials of other devices, in the same order.
/// 4. The default from the device's limits (`runtime/untuned_policy.hpp`).
///
/// How near a problem is, is counted in octaves: |log2 ratio| of the lengths, half of that of what rows are
/// aligned to (up to 16 bytes), and what `work_distance` says of what travels with the keys. At the same
/// distance what does the same for each key goes first, then the same operation. What is stable serves what
/// need not be, after what need not be either.
///
/// Segments are compared by their classes: their mean length first, then the keys of all. Tunings of means
/// that are more than four times as long or short are passed over, and so are those of batches that keep the
/// device busy where this one does not, or the other way round. So are those of the first k keys for a k that
/// is more than four times as large or small.
///
/// On each rung trials of today's kernels go before all those of other versions of the kernels. But what took
/// far longer than the best trial of as many keys on that device, or of a longer array, is passed over,
/// whichever version that was of: a better variant is known. The user's trials are compared with the user's,
/// shipped ones with both. Where all of
/// this is equal, these decide, in this order: the same key type (before another of the same width), the same
/// order, the larger size, TrialRank (`model/standing.hpp`).
///
/// Single arrays and rows never serve each other, nor do keys alone and keys with something that travels, nor
/// emulated devices and GPUs. A candidate of a variant that is unknown, or cannot do the problem, is passed
/// over. A pure function. \throws Error (unavailable) if no variant can sort this.
[[nodiscard]] Selection select(const Problem& problem, const DeviceInfo& device,
                               const CandidateSet& candidates);

/// Rungs below the databases: the default configuration for this problem from the device's limits.
[[nodiscard]] Selection default_selection(const Problem& problem, const DeviceInfo& device);

/// Path of the shipped, read-only database: `$BITUNE_SHIPPED_DB`, else bitune/tunings.db in a `share` beside
/// the folder of this library or program, else in the XDG data folders; nothing if there is none.
[[nodiscard]] std::optional<std::filesystem::path> shipped_database_path();

/// Where the kernels lie that are shipped with a database: beside it, "tunings.kernels" with "tunings.db".
[[nodiscard]] std::filesystem::path kernels_beside(const std::filesystem::path& database);

/// Reads the candidates for problems like this one. A missing or unreadable user database is no error:
/// `warning` says what was wrong.
[[nodiscard]] CandidateSet read_candidates(const Problem& problem, const std::filesystem::path& user_database,
                                           std::string* warning = nullptr);

}  // namespace bitune
