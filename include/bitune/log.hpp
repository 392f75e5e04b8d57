#pragma once

/// \file
/// Where bitune tells what a person should know and no error says. The library itself prints nothing.

#include <functional>
#include <string>

namespace bitune {

/// Takes a sentence without a line end. Called from any thread; must not throw.
using LogFunction = std::function<void(const std::string& sentence)>;

/// From now on `log` is told; nobody is, where it is empty, as at first. Returns who was told before.
/// Thread-safe.
LogFunction set_log(LogFunction log);

/// Tells the sentence to whoever `set_log` named. Thread-safe; never throws.
void log_sentence(const std::string& sentence) noexcept;

}  // namespace bitune
