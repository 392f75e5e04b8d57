#pragma once

/// \file
/// How far a command is: a line on standard error.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace bitune::cli {

/// On a terminal that takes escape codes a line that is overwritten, at most ten times a second. Elsewhere,
/// as in a log, a line of its own now and then, the first one after a while: short commands print none.
/// Nothing where `--quiet` was given.
class ProgressLine {
 public:
  /// How often a line is printed where it cannot be overwritten.
  static constexpr std::chrono::seconds usual_pause{15};

  explicit ProgressLine(std::chrono::steady_clock::duration pause_in_logs = usual_pause);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether a text would be shown: if not, callers need not make one.
  [[nodiscard]] bool due() const;
  void show(std::string_view text);
  /// Wipes the line, so that other output can follow.
  void clear();

  /// "[########--------] 5/10"
  [[nodiscard]] static std::string bar(std::uint64_t done, std::uint64_t count);

 private:
  bool terminal_ = false;
  std::chrono::steady_clock::duration pause_;
  std::chrono::steady_clock::time_point next_;
};

/// Wipes the line that any ProgressLine shows, so that a remark does not stand behind it. Thread-safe.
void clear_progress();

}  // namespace bitune::cli
