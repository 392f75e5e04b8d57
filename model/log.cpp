#include "bitune/log.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace bitune {
namespace {

struct Sink {
  std::mutex mutex;
  LogFunction function;  ///< guarded by mutex
};

Sink& sink() {
  static Sink one;
  return one;
}

}  // namespace

LogFunction set_log(LogFunction log) {
  const std::lock_guard lock(sink().mutex);
  return std::exchange(sink().function, std::move(log));
}

void log_sentence(const std::string& sentence) noexcept {
  try {
    // A copy, so that whoever is told may call set_log.
    LogFunction function;
    {
      const std::lock_guard lock(sink().mutex);
      function = sink().function;
    }
    if (function) function(sentence);
  } catch (const std::exception&) {  // what cannot be told is lost
  }
}

}  // namespace bitune
