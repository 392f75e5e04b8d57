#pragma once

/// \file
/// Large memory of the host, used meanwhile.

#include <cstddef>
#include <string>

#include "cache/file_mapping.hpp"

namespace bitune {

/// Memory that is touched for the first time by whoever uses it: many threads, each its part. Zero at first.
class HostScratch {
 public:
  /// In memory, or in a file without a name in this folder, if there is one named. \throws Error
  /// (out_of_resources)
  explicit HostScratch(std::size_t bytes, const std::string& folder = {});
  ~HostScratch();
  HostScratch(const HostScratch&) = delete;
  HostScratch& operator=(const HostScratch&) = delete;

  /// Null where no bytes were asked for.
  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t anonymous_bytes_ = 0;
  FileMapping file_;
};

}  // namespace bitune
