#pragma once

/// \file
/// The kernel cache: compiled kernels as content-addressed files.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/kernel_image.hpp"

namespace bitune {

/// Compiled kernels by digest, one file each.
///
/// A file has a header (magic, version, digest, target, lowered name, resources, checksum) before the image.
/// It is written to a temporary file, synced and renamed: a reader sees a whole file or none. A damaged file
/// is a miss, and the next `store` replaces it. When the total exceeds the cap, the least recently used files
/// go first. If the directory cannot be written, nothing is cached, and the log is told once.
///
/// Thread safety: all functions may be called from several threads and processes at once.
class KernelCache {
 public:
  /// `$BITUNE_CACHE`, else `$XDG_CACHE_HOME/bitune`, else `$HOME/.cache/bitune`.
  [[nodiscard]] static std::filesystem::path default_directory();

  explicit KernelCache(std::filesystem::path directory, std::uint64_t cap_bytes = std::uint64_t{512} << 20);
  ~KernelCache();

  [[nodiscard]] const std::filesystem::path& directory() const noexcept;

  /// The image stored under the digest; nothing if there is none, or it is damaged. Marks it as used.
  [[nodiscard]] std::optional<KernelImage> find(std::string_view digest);

  /// Stores the image, unless the directory is not writable. Never throws: a cache that fails is a slow one.
  void store(std::string_view digest, const KernelImage& image) noexcept;

  /// A text that is kept beside the kernels under a key of any form, such as what is known of a compiler.
  /// Nothing if there is none, or it is damaged. It is a file like a kernel's: counted and evicted like one.
  [[nodiscard]] std::optional<std::string> find_note(std::string_view key);

  /// Keeps the text, unless that fails, of which nobody is told: a note only saves time. Never throws.
  void store_note(std::string_view key, std::string_view text) noexcept;

  struct Statistics {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Statistics statistics() const;

  /// Deletes all entries; returns how many.
  std::uint64_t clear();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bitune
