#include "model/timestamp.hpp"

#include <fmt/chrono.h>

#include <chrono>

namespace bitune {

std::string timestamp_now() {
  using std::chrono::duration_cast;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = duration_cast<std::chrono::seconds>(now);
  const auto milliseconds = duration_cast<std::chrono::milliseconds>(now - seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     milliseconds.count());
}

}  // namespace bitune
