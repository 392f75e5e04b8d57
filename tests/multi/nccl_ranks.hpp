#pragma once

/// \file
/// Ranks of a communicator of NCCL's, one for each of this host's GPUs: as processes of their own would have
/// them, but threads.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "bitune/multi.hpp"
#include "multi/remote/nccl.hpp"
#include "runtime/at_once.hpp"

namespace bitune::test {

class NcclRanks {
 public:
  /// \param split_from_bytes MultiOptions::split_from_bytes of each rank
  /// \throws Error (unavailable) where there is no NCCL
  explicit NcclRanks(const std::vector<int>& gpus, std::uint64_t split_from_bytes = 0)
      : communicators_(gpus.size()) {
    const multi::Nccl& nccl = multi::Nccl::get();
    const auto make = reinterpret_cast<multi::Nccl::Result (*)(void**, int, const int*)>(
        nccl.library.symbol("ncclCommInitAll"));
    nccl.check(make(communicators_.data(), static_cast<int>(gpus.size()), gpus.data()), "ncclCommInitAll");
    for (void* const communicator : communicators_) {
      MultiOptions options;
      options.communicator = communicator;
      options.split_from_bytes = split_from_bytes;
      sorters_.emplace_back(options);
    }
  }

  std::vector<MultiResult> run(const SortSpec& spec, const std::vector<MultiPart>& parts) {
    std::vector<MultiResult> results(parts.size());
    at_once(parts.size(), parts.size(),
            [&](std::uint64_t rank) { results[rank] = sorters_[rank].run(spec, {parts[rank]}).front(); });
    return results;
  }

 private:
  std::vector<void*> communicators_;  ///< which end with the process
  std::vector<MultiSorter> sorters_;
};

}  // namespace bitune::test
