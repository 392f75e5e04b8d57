#include "runtime/cuda/nvrtc_target.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "bitune/error.hpp"

namespace bitune::cuda {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that ends right before position `end`, as the 24 of "24 bytes stack frame".
std::optional<int> number_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  int number = 0;
  if (std::from_chars(text.data() + begin, text.data() + end, number).ec != std::errc()) return std::nullopt;
  return number;
}

/// The part of the log from the first line that contains `opening` and ends with the kernel's name (quoted or
/// not) to the next line that contains `opening`.
std::string_view section_of(std::string_view log, std::string_view opening, std::string_view name) {
  for (std::size_t at = log.find(opening); at != std::string_view::npos; at = log.find(opening, at + 1)) {
    std::string_view rest = log.substr(at + opening.size());
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\'')) rest.remove_prefix(1);
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    if (!rest.empty() && rest.front() != '\'' && rest.front() != '\n' && rest.front() != '\r') continue;
    return rest.substr(0, rest.find(opening));
  }
  return {};
}

}  // namespace

std::string Target::option() const {
  return fmt::format("--gpu-architecture={}_{}", cubin ? "sm" : "compute", architecture);
}

std::string Target::text() const {
  return fmt::format("{}_{} {}", cubin ? "sm" : "compute", architecture, cubin ? "cubin" : "ptx");
}

Target choose_target(int compute_capability, std::span<const int> architectures,
                     std::string_view nvrtc_version) {
  int largest_below = 0;
  for (const int architecture : architectures) {
    if (architecture == compute_capability) return {architecture, true};
    if (architecture < compute_capability && architecture > largest_below) largest_below = architecture;
  }
  if (largest_below == 0) {
    throw Error(ErrorCode::unavailable, fmt::format("NVRTC {} compiles for no GPU as old as sm_{}: install "
                                                    "the NVRTC of an older CUDA toolkit and set "
                                                    "BITUNE_NVRTC to the full path of its libnvrtc.so",
                                                    nvrtc_version, compute_capability));
  }
  return {largest_below, false};
}

KernelUse read_ptxas_report(std::string_view log, std::string_view lowered_name) {
  KernelUse use;
  const std::string_view properties = section_of(log, "Function properties for", lowered_name);
  constexpr std::string_view frame = " bytes stack frame";
  if (const std::size_t at = properties.find(frame); at != std::string_view::npos) {
    use.local_bytes = number_before(properties, at).value_or(-1);
  }
  // Registers are said once for each entry function, after the properties of all functions that it calls.
  const std::string_view entry = section_of(log, "Compiling entry function", lowered_name);
  for (std::size_t at = entry.find(" registers"); at != std::string_view::npos;
       at = entry.find(" registers", at + 1)) {
    if (const auto number = number_before(entry, at)) {
      use.registers = *number;
      break;
    }
  }
  return use;
}

std::string trimmed_log(std::string_view log) {
  constexpr std::size_t longest = 4000;
  while (!log.empty() &&
         (log.back() == '\0' || log.back() == '\n' || log.back() == ' ' || log.back() == '\r')) {
    log.remove_suffix(1);
  }
  if (log.size() <= longest) return std::string(log);
  const std::size_t cut = log.rfind('\n', longest);
  return fmt::format("{}\n[... {} more bytes]", log.substr(0, cut == std::string_view::npos ? longest : cut),
                     log.size() - (cut == std::string_view::npos ? longest : cut));
}

}  // namespace bitune::cuda
