#include "tests/support/row_check.hpp"

#include <cstddef>
#include <optional>

#include "measure/guarded_image.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tests/support/device_image.hpp"

namespace bitune::test {

::testing::AssertionResult sorts_rows(const Device& device, Sorter& sorter, const RowCase& one) {
  const Problem& problem = one.problem;
  const GuardedLayout layout(problem, problem.n + one.gap);
  const GuardedImage input(layout, make_keys(problem.key, problem.n * problem.rows, one.distribution, 11));
  const std::size_t offset = one.offset_keys * size_of(problem.key);
  const DeviceImage from(device, input, offset);
  std::optional<DeviceImage> separate;
  if (one.out_of_place) separate.emplace(device, GuardedImage(layout), offset);
  const DeviceImage& to = separate ? *separate : from;
  Operands operands;
  operands[Role::keys_out] = to.operand();
  if (separate) operands[Role::keys_in] = from.operand();
  sorter.run(problem, operands);

  auto fault = find_fault_of_keys(problem, input, to.download());
  if (!fault && separate && from.download() != input) fault = "the input was changed";
  if (!fault) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << text_of(problem) << " gap " << one.gap << " offset " << one.offset_keys
         << (one.out_of_place ? " out of place: " : " in place: ") << *fault << "; "
         << sorter.explain(problem).configuration;
}

}  // namespace bitune::test
