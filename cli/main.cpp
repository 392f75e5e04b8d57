#include "bitune/log.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  bitune::set_log([](const std::string& sentence) { bitune::cli::print_remark(sentence); });
  return bitune::run_command(argc, argv);
}
