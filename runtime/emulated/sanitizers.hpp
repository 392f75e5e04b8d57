#pragma once

/// \file
/// Which sanitizers bitune itself was built with: kernels for the emulated device are compiled alike, and the
/// sanitizers must be told of each fibre switch.

#if defined(__has_feature)
#define BITUNE_HAS_FEATURE(name) __has_feature(name)
#else
#define BITUNE_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || BITUNE_HAS_FEATURE(address_sanitizer)
#define BITUNE_ADDRESS_SANITIZER 1
#else
#define BITUNE_ADDRESS_SANITIZER 0
#endif
