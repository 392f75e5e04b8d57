#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace bitune::cli {
namespace {

/// Whether a line stands on the terminal. One for the process: it has one standard error.
std::atomic<bool> line_stands = false;

}  // namespace

ProgressLine::ProgressLine(std::chrono::steady_clock::duration pause_in_logs)
    : terminal_(takes_escape_codes(STDERR_FILENO)),
      pause_(terminal_ ? std::chrono::milliseconds(100) : pause_in_logs),
      next_(std::chrono::steady_clock::now()) {
  if (!terminal_) next_ += pause_;
}

ProgressLine::~ProgressLine() { clear(); }

bool ProgressLine::due() const { return !is_quiet() && std::chrono::steady_clock::now() >= next_; }

void ProgressLine::show(std::string_view text) {
  if (!due()) return;
  next_ = std::chrono::steady_clock::now() + pause_;
  if (!terminal_) return print_remark(text);
  line_stands = true;
  // One column stays free: a full line would wrap on some terminals.
  const std::string line = "\r" + shortened(text, terminal_width(STDERR_FILENO) - 1) + "\x1b[K";
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() { clear_progress(); }

std::string ProgressLine::bar(std::uint64_t done, std::uint64_t count) {
  constexpr std::size_t width = 16;
  const double part = count == 0 ? 0 : static_cast<double>(done) / static_cast<double>(count);
  const auto filled = static_cast<std::size_t>(std::lround(std::min(part, 1.0) * width));
  return fmt::format("[{}{}] {}/{}", std::string(filled, '#'), std::string(width - filled, '-'), done, count);
}

void clear_progress() {
  if (!line_stands.exchange(false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace bitune::cli
