#pragma once

/// \file
/// Files that are mapped into memory: arrays that need not fit the host's memory, since the system reads and
/// writes their pages as they are used.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace bitune {

/// The first bytes of a file, for as long as this lives. Movable.
///
/// Its pages are there: what is written has its room on the disk before. But if another process cuts the file
/// off meanwhile, whoever reads it then is ended by the system (SIGBUS).
class FileMapping {
 public:
  FileMapping() = default;

  /// To be read. The descriptor may be closed then. \throws std::system_error
  [[nodiscard]] static FileMapping for_reading(int descriptor, std::uint64_t bytes);

  /// To be written, by threads that share the work: makes the file so long, and takes the room that it needs
  /// on the disk now. \throws std::system_error, as where the disk has no such room
  [[nodiscard]] static FileMapping for_writing(int descriptor, std::uint64_t bytes);

  /// Of a file without a name in this folder, which ends with this, however it ends. \throws
  /// std::system_error
  [[nodiscard]] static FileMapping nameless(const std::filesystem::path& folder, std::uint64_t bytes);

  ~FileMapping();
  FileMapping(FileMapping&& other) noexcept;
  FileMapping& operator=(FileMapping&& other) noexcept;
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  /// What was mapped for reading must not be written.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  FileMapping(int descriptor, std::uint64_t bytes, int protection);

  std::span<std::byte> bytes_;
};

}  // namespace bitune
