#pragma once

/// \file
/// Versions of kernel sources: what tells whether a trial ran the kernels of today.
///
/// A version is what the kernels compile to, not how they are written: a digest of the tokens of their
/// declarations. No part of it are comments, white space, the names of headers, the order of declarations,
/// how they are split among headers, and functions that no kernel uses. Any token that may reach the compiler
/// is.
///
/// Tokens, and not what a compiler makes of them: whoever builds or sorts may have no compiler of kernels at
/// hand, or another one. Tokens are the same on each machine. Two texts of other tokens may still be the same
/// machine code: scripts/move_kernel_digests.py proves that, and moves tunings from one version to the other.
///
/// What the digest does not see: the order of declarations. C++ wants names declared before they are used, so
/// that another order mostly compiles to the same or not at all. It may choose another overload where a
/// template calls a function that is overloaded behind it: whoever moves declarations compares the machine
/// code, with the same script.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/embedded_kernels.hpp"

namespace bitune {

/// Digest of what these headers, and all that they include, declare for a GPU. What only the emulated device
/// compiles (BITUNE_EMULATED) is no part of it. \throws Error (usage) if one of them is not among `files`.
[[nodiscard]] std::string digest_of_headers(const std::vector<std::string_view>& headers,
                                            std::span<const EmbeddedFile> files = embedded_kernels());

/// Digest of all kernel sources of a registered variant: the version that its trials are stored under.
/// Another variant's kernels may change without making it a new one. Empty if no variant has the name.
/// Thread-safe.
[[nodiscard]] std::string kernel_sources_digest(std::string_view variant_name);

/// Digest of the kernels of one embedded header: what they compile to depends on it and on nothing else of
/// their source. Empty if no such header is embedded. Thread-safe.
[[nodiscard]] std::string digest_of_kernel(std::string_view header);

/// The digest of today's kernels by the name of a variant.
using KernelDigests = std::function<std::string(std::string_view variant_name)>;

}  // namespace bitune
