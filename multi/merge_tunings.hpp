#pragma once

/// \file
/// How devices merge what lies on others: what the tuning database has of them, as a group.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "multi/chunk_copies.hpp"
#include "runtime/device.hpp"
#include "runtime/selection.hpp"

namespace bitune::multi {

/// The facts of devices that sort together, as of one: the first's, but for the name, which tells their
/// number and the slowest link between them. To the tuning database they are a device of a kind of its own.
[[nodiscard]] DeviceInfo facts_of_group(std::span<const Device* const> devices);
/// With what the name ends where some do not read the memory of others.
inline constexpr std::string_view unreached = "host";

/// The name of the variant that trials of a group are of: whole sorts. Its parameters: "split", whether keys
/// are sent away before they are sorted; if not, "halved", whether two ranks read halves of keys; if not,
/// "copied", whether what lies on others is copied before it is merged, and "least_chunk_kib",
/// CopyRules::least_chunk_bytes. Their problems are arrays of u32 keys, of all ranks together.
inline constexpr std::string_view link_variant = "sort_over_link";

/// A point of its space.
[[nodiscard]] Configuration configuration_of(const CopyRules& rules);
/// What trials of the variant are stored under.
[[nodiscard]] std::string link_kernel_digest();

/// What was tuned of a group.
class MergeTunings {
 public:
  MergeTunings() = default;
  /// Of those candidates that are the group's.
  MergeTunings(const CandidateSet& candidates, const DeviceInfo& group, std::uint64_t ranks);

  /// For a rank that merges so many bytes: what was tuned for the nearest number, else the default.
  [[nodiscard]] CopyRules rules_for(std::uint64_t bytes) const;

 private:
  struct Tuned {
    std::uint64_t bytes = 0;
    CopyRules rules;
  };
  std::vector<Tuned> tuned_;
};

}  // namespace bitune::multi
