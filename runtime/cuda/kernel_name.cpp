#include "runtime/cuda/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace bitune::cuda {

std::string demangled(const std::string& lowered_name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(lowered_name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name != nullptr ? name.get() : lowered_name;
}

std::optional<std::size_t> parameters_of(std::string_view demangled_name) {
  if (demangled_name.empty() || demangled_name.back() != ')') return std::nullopt;
  // From the end back to the parenthesis that opens the list. Commas of template arguments and of functions'
  // parameters are deeper.
  std::size_t depth = 0;
  std::size_t commas = 0;
  for (std::size_t at = demangled_name.size(); at-- > 0;) {
    const char c = demangled_name[at];
    if (c == ')' || c == '>') ++depth;
    if (c == ',' && depth == 1) ++commas;
    if (c != '(' && c != '<') continue;
    if (--depth != 0) continue;
    return at + 2 == demangled_name.size() ? 0 : commas + 1;
  }
  return std::nullopt;
}

}  // namespace bitune::cuda
