#pragma once

/// \file
/// What the name of a compiled kernel tells.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bitune::cuda {

/// The name as C++ writes it, with the types of the parameters; `lowered_name` itself if it is no mangled
/// name.
[[nodiscard]] std::string demangled(const std::string& lowered_name);

/// How many parameters a kernel of this demangled name has; nothing if the name does not tell, as that of an
/// extern "C" kernel. The driver would have to be asked for parameter after parameter until it fails, and
/// tools like compute-sanitizer report each call that fails.
[[nodiscard]] std::optional<std::size_t> parameters_of(std::string_view demangled_name);

}  // namespace bitune::cuda
