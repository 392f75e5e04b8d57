#pragma once

/// \file
/// Compiled kernels in one file, to be shipped with the tunings that need them.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/kernel_image.hpp"

namespace bitune {

/// A file of compiled kernels that is only read. It is a SQLite database with a row for each kernel: its key,
/// and where its file in the kernel cache's format lies in a bundle. Alike kernels are bundled, and
/// compressed together.
///
/// Thread safety: all functions may be called from several threads at once.
class KernelArchive {
 public:
  /// Opens nothing yet: a process that finds its kernels in the cache never reads the archive.
  explicit KernelArchive(std::filesystem::path path);
  ~KernelArchive();
  KernelArchive(const KernelArchive&) = delete;
  KernelArchive& operator=(const KernelArchive&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept;

  /// The kernel under this key; nothing if there is none. A missing or damaged file has none: then kernels
  /// are compiled, as they would be without it.
  [[nodiscard]] std::optional<KernelImage> find(std::string_view key) const noexcept;

  /// How many kernels there are. \throws Error (database) if the file is missing or no archive
  [[nodiscard]] std::size_t size() const;

  /// Makes an archive, whole or not at all. The file must not exist. \throws Error (io)
  static void write(const std::filesystem::path& path, const std::map<std::string, KernelImage>& kernels);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bitune
