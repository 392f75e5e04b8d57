/// \file
/// Sorts floats of the host with the items that they belong to, from C, and tells how. Without a GPU it sorts
/// on the emulated device.
///
/// Arrays that are in device memory already are sorted asynchronously on a stream by
///   bitune_run(sorter, &problem, &operands, stream);

#include <bitune/bitune.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 5000 };

static float prices[count];
static uint32_t items[count];

// Ends the program with the sentence that the library has for its error.
static void check(bitune_status status) {
  if (status == BITUNE_OK) return;
  fprintf(stderr, "sort_in_c: %s (%s)\n", bitune_last_error(), bitune_status_name(status));
  exit(1);
}

int main(void) {
  bitune_sorter* sorter = NULL;
  bitune_problem problem = BITUNE_PROBLEM_INIT;
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  bitune_host_times times = BITUNE_HOST_TIMES_INIT;
  char* device = NULL;
  char* how = NULL;

  srand(1);
  for (uint32_t i = 0; i < count; ++i) {
    prices[i] = (float)(rand() % 1000) / 10;
    items[i] = i;
  }

  problem.operation = BITUNE_SORT_PAIRS;
  problem.key = BITUNE_KEY_F32;
  problem.value_bytes = sizeof(items[0]);
  problem.stable = 1;
  problem.n = count;
  operands.keys_out.data = prices;
  operands.keys_out.elements = count;
  operands.values_out.data = items;
  operands.values_out.elements = count;

  check(bitune_sorter_create(NULL, &sorter));
  check(bitune_run_host(sorter, &problem, &operands, &times));
  check(bitune_device_name(sorter, &device));
  check(bitune_explain(sorter, &problem, &how));
  printf("sorted %d prices on %s in %.1f us\n", count, device, times.total_us);
  printf("the lowest is %.1f, of item %u\n", (double)prices[0], (unsigned)items[0]);
  printf("%s\n", how);
  bitune_free(how);
  bitune_free(device);
  bitune_sorter_destroy(sorter);

  for (uint32_t i = 1; i < count; ++i) {
    if (prices[i - 1] > prices[i] || (prices[i - 1] == prices[i] && items[i - 1] > items[i])) return 1;
  }
  return 0;
}
