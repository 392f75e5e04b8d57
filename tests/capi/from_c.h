#ifndef BITUNE_TESTS_CAPI_FROM_C_H
#define BITUNE_TESTS_CAPI_FROM_C_H

#ifdef __cplusplus
extern "C" {
#endif

/// Sorts on the emulated device, all from C. Null, or what went wrong.
const char* sort_pairs_from_c(void);

#ifdef __cplusplus
}
#endif

#endif
