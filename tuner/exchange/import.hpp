#pragma once

/// \file
/// Files of trials into the tuning database.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "tuner/exchange/recordings.hpp"

namespace bitune {

/// What one file held.
struct ImportedFile {
  std::filesystem::path path;
  std::string source;  ///< "cache 'h200.json'"
  std::vector<std::string> devices;
  std::size_t trials = 0;
};

/// What is to be imported: all files, read and checked.
struct ImportPlan {
  std::vector<ImportedFile> files;
  std::vector<ImportedTrials> trials;
};

/// Reads all files. Checks that each trial is of a variant of bitune, and has no parameter that the variant
/// does not know; one of an older bitune may have fewer. Values are checked where a configuration is
/// selected.
/// \param device on which trials were made whose file only names it. Without it, a device of kind "unknown"
/// stands for that name.
/// \throws Error (io, input): one sentence that names the file, how many of its trials are rejected, and the
/// first of them
[[nodiscard]] ImportPlan plan_import(const std::vector<std::filesystem::path>& files,
                                     const std::optional<DeviceInfo>& device);

}  // namespace bitune
