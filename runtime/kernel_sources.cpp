#include "runtime/kernel_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

std::string_view text_of_header(std::string_view path) {
  const auto files = embedded_kernels();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [path](const EmbeddedFile& file) { return file.path == path; });
  if (found == files.end()) {
    throw Error(ErrorCode::usage, fmt::format("no header '{}' is embedded in bitune", path));
  }
  return found->text;
}

// Kernels include only each other, always by the path from the repository's root.
void collect(std::string_view path, std::set<std::string_view>& paths) {
  constexpr std::string_view directive = "#include \"";
  if (!paths.insert(path).second) return;
  const std::string_view text = text_of_header(path);
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at)) {
    at += directive.size();
    collect(text.substr(at, text.find('"', at) - at), paths);
  }
}

}  // namespace

std::string digest_of_headers(const std::vector<std::string_view>& headers) {
  std::set<std::string_view> paths;
  for (const std::string_view header : headers) collect(header, paths);
  Digest digest;
  for (const std::string_view path : paths) digest.add(path).add(text_of_header(path));
  return digest.hex();
}

std::string kernel_sources_digest(std::string_view variant_name) {
  static const auto digests = [] {
    std::map<std::string, std::string, std::less<>> by_name;
    for (const Variant* family : variants()) {
      by_name.emplace(family->name(), digest_of_headers(family->kernel_headers()));
    }
    return by_name;
  }();
  const auto found = digests.find(variant_name);
  return found == digests.end() ? std::string() : found->second;
}

}  // namespace bitune
