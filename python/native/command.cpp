/// \file
/// The command as a function of the wheel's library, which the wheel's bin/bitune calls: so a wheel has the
/// rooms once.

#include "cli/command.hpp"

/// As the command's main.
extern "C" __attribute__((visibility("default"))) int bitune_command(int argc, const char* const* argv) {
  return bitune::run_process(argc, argv);
}
