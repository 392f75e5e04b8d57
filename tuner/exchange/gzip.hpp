#pragma once

/// \file
/// Compression as other tools read it.

#include <string>
#include <string_view>

namespace bitune {

/// The bytes as a gzip file, the same for the same bytes.
[[nodiscard]] std::string gzip(std::string_view bytes);

}  // namespace bitune
