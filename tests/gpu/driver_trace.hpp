#pragma once

/// \file
/// A trace of the calls of the CUDA driver.

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cuda/driver.hpp"

namespace bitune::test {

/// While it lives, the driver's functions go through it, and it notes their names in the order of calls. At
/// most one lives at a time. Thread-safe.
class DriverTrace {
 public:
  DriverTrace();
  ~DriverTrace() {
    for (const auto restore : std::exchange(restorers(), {})) restore();
  }
  DriverTrace(const DriverTrace&) = delete;
  DriverTrace& operator=(const DriverTrace&) = delete;

  /// What was called since this was asked last.
  [[nodiscard]] static std::vector<std::string> calls() {
    const std::lock_guard lock(mutex());
    return std::exchange(noted(), {});
  }

 private:
  template <auto Member>
  struct Traced;

  /// The table is made by driver() as an object that may change; only what it returns may not.
  static cuda::Driver& table() { return const_cast<cuda::Driver&>(cuda::driver()); }
  static std::vector<void (*)()>& restorers() {
    static std::vector<void (*)()> all;
    return all;
  }
  static std::vector<std::string>& noted() {
    static std::vector<std::string> names;
    return names;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
};

template <class... Arguments, CUresult (*cuda::Driver::*Member)(Arguments...)>
struct DriverTrace::Traced<Member> {
  static inline CUresult (*real)(Arguments...) = nullptr;
  static inline const char* name = nullptr;

  static CUresult call(Arguments... arguments) {
    {
      const std::lock_guard lock(mutex());
      noted().emplace_back(name);
    }
    return real(arguments...);
  }
  static void install(const char* its_name) {
    if (table().*Member == nullptr) return;  // of newer drivers
    real = table().*Member;
    name = its_name;
    table().*Member = call;
    restorers().push_back([] { table().*Member = real; });
  }
};

inline DriverTrace::DriverTrace() {
#define BITUNE_TRACED(name) Traced<&cuda::Driver::name>::install(#name);
  BITUNE_DRIVER_FUNCTIONS(BITUNE_TRACED)
#undef BITUNE_TRACED
}

}  // namespace bitune::test
