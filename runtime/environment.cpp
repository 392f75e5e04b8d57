#include "runtime/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the user

namespace bitune {

std::vector<char*> environment_with(const std::vector<std::string>& changes) {
  std::vector<char*> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view old(*variable);
    const bool replaced = std::any_of(changes.begin(), changes.end(), [&](const std::string& change) {
      return old.substr(0, old.find('=')) == std::string_view(change).substr(0, change.find('='));
    });
    if (!replaced) result.push_back(*variable);
  }
  for (const std::string& change : changes) result.push_back(const_cast<char*>(change.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace bitune
