#pragma once

/// \file
/// A private folder for the files that compiling and loading kernels goes through.

#include <filesystem>
#include <string>
#include <string_view>

#include "cache/temporary_folder.hpp"

namespace bitune::emulated {

/// The process's own folder, made when first asked for and removed at exit. Thread-safe.
[[nodiscard]] const TemporaryFolder& process_folder();

/// Writes a whole file, with the folders that lead to it. \throws Error (io)
void write_file(const std::filesystem::path& path, std::string_view text);

/// Reads a whole file. \throws Error (io)
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace bitune::emulated
