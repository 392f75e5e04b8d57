#pragma once

/// \file
/// The environment that a process is started with.

#include <string>
#include <vector>

namespace bitune {

/// This process's environment with the changes ("TMPDIR=/tmp"), as posix_spawn takes it. Its strings belong
/// to the environment and to `changes`.
[[nodiscard]] std::vector<char*> environment_with(const std::vector<std::string>& changes);

}  // namespace bitune
