#include <gtest/gtest.h>

#include <string_view>

#include "tuner/evaluator.hpp"

/// The tests; or, started as `program worker --device D --cache DIR`, the real worker that a test of workers
/// needs.
int main(int argc, char** argv) {
  if (argc == 6 && std::string_view(argv[1]) == "worker") return bitune::run_worker(argv[3], argv[5]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
