#include <cstdio>

#include "bitune/log.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  bitune::set_log(
      [](const std::string& sentence) { std::fprintf(stderr, "bitune: %s\n", sentence.c_str()); });
  return bitune::run_command(argc, argv);
}
