#include "runtime/parts/strided_runs.hpp"

#include <cstring>

#include "model/key_type.hpp"
#include "runtime/at_once.hpp"

namespace bitune {
namespace {

/// Keys of a block are a multiple: pieces begin where a bus and a cache like it, if the array does.
constexpr std::uint64_t block_unit = 16;
/// Bytes that one thread would take some milliseconds to copy.
constexpr std::size_t much = std::size_t{16} << 20;

}  // namespace

std::optional<StridedRuns> StridedRuns::of(std::uint64_t n, std::uint64_t most) {
  for (std::uint64_t runs = std::max<std::uint64_t>((n + most - 1) / most, 1); runs * block_unit <= most;
       ++runs) {
    const std::uint64_t units = (n + runs * runs * block_unit - 1) / (runs * runs * block_unit);
    if (runs * units * block_unit <= most) return StridedRuns(n, runs, units * block_unit);
  }
  return std::nullopt;
}

std::uint64_t StridedRuns::length(std::uint64_t run) const noexcept {
  const std::uint64_t whole = (regions_ - 1) * block_;
  const std::uint64_t last = std::min(index(run, whole), n_);
  return whole + std::min(block_, n_ - last);
}

StridedMerge::StridedMerge(const StridedRuns& runs, std::byte* keys, const KeyRules& rules,
                           const std::string& folder, unsigned threads)
    : runs_(runs),
      keys_(keys),
      key_bytes_(size_of(rules.key)),
      threads_(threads),
      cuts_(runs.regions() + 1),
      kept_begin_(runs.regions()) {
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t run = 0; run < runs_.runs(); ++run) lengths.push_back(runs_.length(run));
  cuts_.front().resize(runs_.runs());
  cuts_.back() = lengths;
  const auto index = [&](std::uint64_t run, std::uint64_t position) { return runs_.index(run, position); };
  at_once(runs_.regions() - 1, threads, [&](std::uint64_t i) {
    cuts_[i + 1] = cut_evenly(keys_, lengths, index, rules, (i + 1) * runs_.block());
  });

  std::uint64_t kept = 0;
  for (std::uint64_t region = 0; region < runs_.regions(); ++region) {
    for (std::uint64_t run = 0; run < runs_.runs(); ++run) {
      kept_begin_[region].push_back(kept);
      kept += late(region, run).size();
    }
  }
  kept_.emplace(kept * key_bytes_, folder);
}

ElementRange StridedMerge::late(std::uint64_t region, std::uint64_t run) const noexcept {
  const std::uint64_t end = std::min((region + 1) * runs_.block(), cuts_.back()[run]);
  return {std::clamp(cuts_[region + 1][run], std::min(region * runs_.block(), end), end), end};
}

std::vector<HostPiece> StridedMerge::pieces(std::uint64_t part) const {
  std::vector<HostPiece> pieces;
  for (std::uint64_t run = 0; run < runs_.runs(); ++run) {
    runs_.for_blocks({cuts_[part][run], cuts_[part + 1][run]}, [&](std::uint64_t region,
                                                                   const ElementRange& range) {
      const std::byte* const key =
          region < part ? kept_->data() +
                              (kept_begin_[region][run] + range.begin - late(region, run).begin) * key_bytes_
                        : keys_ + runs_.index(run, range.begin) * key_bytes_;
      pieces.push_back({key, range.size() * key_bytes_});
    });
  }
  return pieces;
}

void StridedMerge::keep(std::uint64_t region) const {
  const std::uint64_t end =
      region + 1 < runs_.regions() ? kept_begin_[region + 1].front() : kept_begin_[region].back();
  const bool is_much = (end - kept_begin_[region].front()) * key_bytes_ >= much;
  at_once(runs_.runs(), is_much ? threads_ : 1, [&](std::uint64_t run) {
    const ElementRange range = late(region, run);
    if (range.size() == 0) return;
    std::memcpy(kept_->data() + kept_begin_[region][run] * key_bytes_,
                keys_ + runs_.index(run, range.begin) * key_bytes_, range.size() * key_bytes_);
  });
}

}  // namespace bitune
