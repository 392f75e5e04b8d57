// What libstdc++ of the build's system takes from its glibc, and older systems do not have. Part of portable
// builds alone.

#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

/// Of glibc 2.36. std::random_device uses it, which comes along when libstdc++ is linked statically.
extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) std::abort();  // as glibc's own does
  return number;
}
