/* The header as a program in C sees it: compiled as C11 with every warning an error. */
#include "from_c.h"

#include <bitune/bitune.h>

static const char* run(bitune_sorter* sorter) {
  float keys[5] = {3.0F, -1.0F, 2.0F, -1.0F, 0.5F};
  uint16_t values[5] = {0, 1, 2, 3, 4};
  static const uint16_t expected[5] = {1, 3, 4, 2, 0};
  int i;
  bitune_problem problem = BITUNE_PROBLEM_INIT;
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  bitune_host_times times = BITUNE_HOST_TIMES_INIT;

  problem.operation = BITUNE_SORT_PAIRS;
  problem.key = BITUNE_KEY_F32;
  problem.value_bytes = sizeof(values[0]);
  problem.stable = 1;
  problem.n = 5;
  operands.keys_out.data = keys;
  operands.keys_out.elements = 5;
  operands.values_out.data = values;
  operands.values_out.elements = 5;
  if (bitune_run_host(sorter, &problem, &operands, &times) != BITUNE_OK) return bitune_last_error();
  for (i = 0; i < 5; ++i) {
    if (values[i] != expected[i]) return "the values are not with their keys";
    if (i > 0 && keys[i - 1] > keys[i]) return "the keys are not in order";
  }
  return times.total_us > 0 ? NULL : "no times were written";
}

const char* sort_pairs_from_c(void) {
  bitune_sorter* sorter = NULL;
  bitune_sorter_options options = BITUNE_SORTER_OPTIONS_INIT;
  bitune_tune_options tuning = BITUNE_TUNE_OPTIONS_INIT;
  const char* wrong;

  if (tuning.size != sizeof(tuning) || tuning.samples != 200 || tuning.resume != 1)
    return "the initialiser of bitune_tune_options is not in the order of its members";
  options.device = "emulated";
  if (bitune_sorter_create(&options, &sorter) != BITUNE_OK) return bitune_last_error();
  wrong = run(sorter);
  bitune_sorter_destroy(sorter);
  return wrong;
}
