#pragma once

/// \file
/// Versions of kernel sources: what tells whether a trial ran the kernels of today.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bitune {

/// Digest of these embedded headers and of all that they include: it changes if and only if their text does.
/// \throws Error (usage) if one of them is not embedded.
[[nodiscard]] std::string digest_of_headers(const std::vector<std::string_view>& headers);

/// Digest of all kernel sources of a registered variant: the version that its trials are stored under.
/// Another variant's kernels may change without making it a new one. Empty if no variant has the name.
/// Thread-safe.
[[nodiscard]] std::string kernel_sources_digest(std::string_view variant_name);

/// The digest of today's kernels by the name of a variant.
using KernelDigests = std::function<std::string(std::string_view variant_name)>;

}  // namespace bitune
