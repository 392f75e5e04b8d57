#include "runtime/kernel_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bitune/error.hpp"
#include "runtime/source_versions.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

std::string digest_of_embedded(const std::vector<std::string_view>& headers) {
  const auto known = used_declarations();
  std::set<DeclarationDigest> all;
  for (const std::string_view path : headers) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [path](const UsedDeclarations& header) { return header.path == path; });
    if (found == known.end()) {
      throw Error(ErrorCode::usage, fmt::format("no header '{}' is embedded in bitune", path));
    }
    all.insert(found->declarations.begin(), found->declarations.end());
  }
  return version_of_declarations(all);
}

}  // namespace

std::string digest_of_headers(const std::vector<std::string_view>& headers,
                              std::span<const EmbeddedFile> files) {
  std::set<DeclarationDigest> all;
  for (const std::string_view path : headers) all.merge(declarations_used_by(path, files));
  return version_of_declarations(all);
}

std::string digest_of_kernel(std::string_view header) {
  const auto known = used_declarations();
  const bool is_embedded = std::any_of(known.begin(), known.end(),
                                       [header](const UsedDeclarations& one) { return one.path == header; });
  return is_embedded ? digest_of_embedded({header}) : std::string();
}

std::string kernel_sources_digest(std::string_view variant_name) {
  static const auto digests = [] {
    std::map<std::string, std::string, std::less<>> by_name;
    for (const Variant* family : variants()) {
      by_name.emplace(family->name(), digest_of_embedded(family->kernel_headers()));
    }
    return by_name;
  }();
  const auto found = digests.find(variant_name);
  return found == digests.end() ? std::string() : found->second;
}

}  // namespace bitune
