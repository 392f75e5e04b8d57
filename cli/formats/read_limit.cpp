#include "cli/formats/read_limit.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"

namespace bitune::cli {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

void ReadLimit::check(std::uint64_t taken, const std::string& file) const {
  if (allows(taken)) return;
  throw Error(
      ErrorCode::input,
      fmt::format("{} takes {} of memory, and an input may take {} ({}); --max-bytes sets another limit",
                  file, bytes_text(taken), bytes_text(bytes), reason));
}

void ReadLimit::refuse_endless(const std::string& file) const {
  throw Error(
      ErrorCode::input,
      fmt::format(
          "{} does not end within {}, the most that an input may take ({}); --max-bytes sets another limit",
          file, bytes_text(bytes), reason));
}

}  // namespace bitune::cli
