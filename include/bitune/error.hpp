#pragma once

/// \file
/// The one exception type of bitune.

#include <stdexcept>
#include <string>

namespace bitune {

/// What kind of thing went wrong. The command maps `usage` to exit code 2 and all others to 1.
enum class ErrorCode {
  usage,             ///< an argument or option is wrong
  input,             ///< data read from a file or stream is wrong
  io,                ///< a file or directory cannot be read or written
  unavailable,       ///< a GPU, driver, NVRTC or host compiler is not there
  device,            ///< the CUDA driver, or a kernel on the device, failed
  compile,           ///< a kernel did not compile
  out_of_resources,  ///< a sort needs more than the device, or the share of it that is there, has
  database,          ///< the tuning database refused or is not one of ours
  capture,           ///< the stream is being captured and the call would have to compile or allocate
  verification,      ///< a result is not sorted, or not a permutation of its input
  cancelled,         ///< the user asked to stop
};

/// Thrown by every part of bitune. `what()` is one sentence that names the thing and says what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace bitune
