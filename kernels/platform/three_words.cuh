#pragma once

/// \file
/// Three words at once. Apart from platform.cuh, since few kernels need it. Twins as there.

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated/three_words.cuh"
#else
#include "kernels/platform/cuda/three_words.cuh"
#endif
