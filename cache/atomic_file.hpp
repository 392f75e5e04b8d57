#pragma once

/// \file
/// Writing a file so that readers see all of it or nothing.

#include <filesystem>
#include <string_view>

namespace bitune {

/// Ends the names of files that are being written; one that is left over belongs to a process that was
/// killed.
inline constexpr std::string_view temporary_suffix = ".tmp";

/// Writes `content` beside `path` under a name that nobody else uses, syncs it and renames it to `path`,
/// replacing what is there. Creates the directory, if the path names one. \throws std::system_error; then
/// nothing new is left behind.
void write_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace bitune
