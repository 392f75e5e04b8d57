#include <gtest/gtest.h>

#include <string_view>

#include "tests/unit/tuner/fake_worker.hpp"

/// The tests; or, started as `program worker --device BEHAVIOUR`, the worker that the tests of workers need.
int main(int argc, char** argv) {
  if (argc >= 4 && std::string_view(argv[1]) == "worker")
    return bitune::testing_support::run_fake_worker(argv[3]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
