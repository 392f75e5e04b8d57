#pragma once

/// \file
/// An address that stays in registers. Apart from platform.cuh, since few kernels need it. Twins as there.

#if defined(BITUNE_EMULATED)
#include "kernels/platform/emulated/kept_address.cuh"
#else
#include "kernels/platform/cuda/kept_address.cuh"
#endif
