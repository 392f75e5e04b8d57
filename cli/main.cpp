#include "cli/command.hpp"

int main(int argc, char** argv) { return bitune::run_process(argc, argv); }
