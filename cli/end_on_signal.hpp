#pragma once

/// \file
/// Signals that end the process at once, and what they leave behind.

namespace bitune::cli {

/// From now on SIGINT, SIGTERM and SIGHUP end the process as they do by default, but first remove its
/// temporary files and folders (`cache/leftovers.hpp`). A signal that is ignored, as under nohup, stays
/// ignored. For the command alone: a library has no business with signals.
void remove_leftovers_on_signals();

}  // namespace bitune::cli
