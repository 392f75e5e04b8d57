#pragma once

/// \file
/// How much memory this host can still give to the process.

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/formats/read_limit.hpp"

namespace bitune::cli {

/// Bytes that the process can still take: what the kernel has available, or what a control group (version 1
/// or 2, as containers and schedulers set it) leaves, whichever is less. The largest number where nothing
/// tells. `root` is where /proc and /sys are.
[[nodiscard]] std::uint64_t free_host_memory(const std::filesystem::path& root = "/");

/// The limit that --max-bytes names ("64M"); half of the free memory where the text is empty, so that the
/// result has room beside the input. \throws Error (usage)
[[nodiscard]] ReadLimit read_limit_of(const std::string& option);

}  // namespace bitune::cli
