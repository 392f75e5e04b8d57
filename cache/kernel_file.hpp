#pragma once

/// \file
/// The file formats of the kernel cache. Private to the cache room.
///
/// Numbers are little-endian. A text is its length (8 bytes) and its bytes. Both begin alike:
///
///     magic | version u32 | checksum u64 (XXH3, 64 bits, of all that follows)
///
/// Then a kernel ("BITUNEK\n") has digest | target | lowered name | log | registers i32 | local bytes i32 |
/// image, and a note ("BITUNEN\n") has key | text.

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

/// The whole file for a note that is kept under `key`.
[[nodiscard]] std::string encode_note(std::string_view key, std::string_view text);

/// The text of a note; nothing if the file is damaged, of another version, or kept under another key.
[[nodiscard]] std::optional<std::string> decode_note(std::string_view file, std::string_view key);

}  // namespace bitune::kernel_file
