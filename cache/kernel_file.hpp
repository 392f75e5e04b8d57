#pragma once

/// \file
/// The file format of the kernel cache. Private to the cache room.
///
/// Numbers are little-endian. A text is its length (8 bytes) and its bytes. The whole file is:
///
///     magic "BITUNEK\n" | version u32 | checksum u64 (XXH3, 64 bits, of all that follows)
///     digest | target | lowered name | log | registers i32 | local bytes i32 | image

#include <optional>
#include <string>
#include <string_view>

#include "model/kernel_image.hpp"

namespace bitune::kernel_file {

/// The whole file for an image that is stored under `digest`.
[[nodiscard]] std::string encode(std::string_view digest, const KernelImage& image);

/// The image in a file; nothing if the file is damaged in any way, of another version, or stored under
/// another digest.
[[nodiscard]] std::optional<KernelImage> decode(std::string_view file, std::string_view digest);

}  // namespace bitune::kernel_file
