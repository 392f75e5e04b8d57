#pragma once

/// \file
/// What ranks tell each other before any of them does anything: so they go on together, or not at all.

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/types.hpp"
#include "multi/chunk_copies.hpp"
#include "multi/communicator.hpp"

namespace bitune::multi {

/// An error that every rank throws: none waits for another one, and the communicator may go on.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// What all ranks know of a call.
struct Terms {
  SortSpec spec;
  std::vector<std::uint64_t> lengths;  ///< keys that each rank gives
  std::vector<std::uint64_t> results;  ///< keys that each rank gets
  bool reads_directly = false;         ///< each rank merges what the others have sorted where it lies
  /// Where it does not: from so many bytes a rank on keys are sent away before they are sorted.
  std::uint64_t sent_from_bytes = CopyRules::never;

  [[nodiscard]] std::uint64_t total() const noexcept {
    return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  }
  /// Keys of the ranks before this one.
  [[nodiscard]] static std::uint64_t before(const std::vector<std::uint64_t>& numbers, int rank) noexcept {
    return std::accumulate(numbers.begin(), numbers.begin() + rank, std::uint64_t{0});
  }
};

/// Keys of the part with this number, where `n` keys are cut into `parts` as equal as can be: the first parts
/// have one more.
[[nodiscard]] std::uint64_t equal_part_of(std::uint64_t n, std::uint64_t parts, std::uint64_t part) noexcept;

/// Tells all ranks what this one is asked to do, and hears it of them. `result` as MultiPart::result.
/// `may_be_read`: others reach the memory that this rank sorts in. `sent_from_bytes`: as in Terms, of which
/// the most of any rank counts. \throws AgreedError (usage) if they were asked different things, or for what
/// cannot be done
[[nodiscard]] Terms agree(Communicator& communicator, const SortSpec& spec, std::uint64_t n,
                          std::uint64_t result, bool may_be_read,
                          std::uint64_t sent_from_bytes = CopyRules::never);

/// Does the last thing that may fail before memory is written, and waits until all ranks have. Returns what
/// `prepare` returned on each. \throws AgreedError of the first rank on which it failed
std::vector<std::uint64_t> prepare_together(Communicator& communicator,
                                            const std::function<std::uint64_t()>& prepare);

}  // namespace bitune::multi
