#include "tests/support/row_check.hpp"

#include "measure/guarded_image.hpp"
#include "model/problem.hpp"
#include "tests/support/call_memory.hpp"

namespace bitune::test {

::testing::AssertionResult sorts_rows(const Device& device, Sorter& sorter, const RowCase& one) {
  const Problem& problem = one.problem;
  const GuardedImage input(GuardedLayout(problem, problem.n + one.gap),
                           make_keys(problem.key, problem.n * problem.rows, one.distribution, 11));
  CallMemory call = memory_of_keys(device, problem, input, one.offset_keys, one.out_of_place);
  sorter.run(problem, call.operands());

  const auto fault = call.fault();
  if (!fault) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << text_of(problem) << " gap " << one.gap << " offset " << one.offset_keys
         << (one.out_of_place ? " out of place: " : " in place: ") << *fault << "; "
         << sorter.explain(problem).configuration;
}

}  // namespace bitune::test
