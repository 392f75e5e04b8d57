#pragma once

/// \file
/// Where this program lies, and what was installed with it.

#include <filesystem>
#include <vector>

namespace bitune {

/// Folder of the shared library or executable that this code is linked into, then that of the executable:
/// two where the executable is another's, such as Python. Symbolic links are resolved. Beside them lies what
/// was installed with them.
[[nodiscard]] std::vector<std::filesystem::path> own_folders();

}  // namespace bitune
