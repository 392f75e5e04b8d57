#pragma once

/// \file
/// What the emulator does besides (emulated_services.hpp) for kernels whose blocks send each other bytes (arrivals.cuh): services
/// that only such a kernel asks for. Compiled into both, as that header is.

namespace bitune::emulated {

struct ArrivalServices {
  /// So many bytes have arrived, of those that *expected says are still to come.
  void (*arrive)(unsigned long long* expected, unsigned int bytes);
  /// Waits until none are to come.
  void (*wait)(unsigned long long* expected);
};

using BindArrivalsFunction = void(const ArrivalServices* services);
inline constexpr const char* bind_arrivals_name = "bitune_emulated_bind_arrivals";

}  // namespace bitune::emulated
