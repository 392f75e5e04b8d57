#pragma once

/// \file
/// The engine that options ask for, with what it was made of.

#include <memory>

#include "bitune/bitune.hpp"
#include "cache/kernel_archive.hpp"
#include "cache/kernel_cache.hpp"
#include "runtime/device.hpp"
#include "runtime/selector.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune {

/// An engine, and where its kernels come from.
struct OpenedEngine {
  std::shared_ptr<Device> device;
  std::shared_ptr<KernelCache> cache;                    ///< null where there is none
  std::shared_ptr<const KernelArchive> shipped_kernels;  ///< likewise
  std::unique_ptr<SortEngine> engine;
  CandidateReader candidates = {};  ///< the engine's
};

/// Opens device, database and caches. `instead`: where candidates come from, if not from the database and
/// what is shipped. \throws Error (usage, unavailable)
[[nodiscard]] OpenedEngine open_engine(const SorterOptions& options, CandidateReader instead = {});

}  // namespace bitune
