/// \file
/// The command as a function of the wheel's library, which the wheel's bin/bitune calls: so a wheel has the
/// rooms once.

#include "cli/command.hpp"
#include "bitune/log.hpp"

/// As the command's main.
extern "C" __attribute__((visibility("default"))) int bitune_command(int argc, const char* const* argv) {
  bitune::set_log([](const std::string& sentence) { bitune::cli::print_remark(sentence); });
  return bitune::run_command(argc, argv);
}
