#include "runtime/source_versions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/source_declarations.hpp"

namespace bitune {
namespace {

/// A declaration by the digest of its text, which is not kept.
struct Counted {
  Declaration declaration;
  DeclarationDigest digest;
};

/// Headers, each cut when it is needed first.
class Sources {
 public:
  explicit Sources(std::span<const EmbeddedFile> files) : files_(files) {}

  std::set<DeclarationDigest> used_by(std::string_view path) {
    std::set<Key> seen;
    std::vector<const Counted*> all;
    collect(path, {}, seen, all);
    std::set<DeclarationDigest> digests;
    for (const Counted* counted : used(all)) digests.insert(counted->digest);
    return digests;
  }

 private:
  struct Header {
    std::vector<Counted> declarations;
    std::vector<IncludedHeader> includes;
  };
  using Key = std::pair<std::string_view, std::string>;  // the path, and what is around its #include

  std::string_view text_of(std::string_view path) const {
    const auto found = std::find_if(files_.begin(), files_.end(),
                                    [path](const EmbeddedFile& file) { return file.path == path; });
    if (found == files_.end()) {
      throw Error(ErrorCode::usage, fmt::format("no header '{}' is embedded in bitune", path));
    }
    return found->text;
  }

  const Header& header(const Key& key, const SourceContext& context) {
    const auto found = headers_.find(key);
    if (found != headers_.end()) return found->second;
    SourceParts parts = cut_source(text_of(key.first), context);
    Header made{.declarations = {}, .includes = std::move(parts.includes)};
    made.declarations.reserve(parts.declarations.size());
    Digest digest;
    for (Declaration& declaration : parts.declarations) {
      digest.reset();
      digest.add(std::exchange(declaration.text, {}));
      made.declarations.push_back({std::move(declaration), digest.value()});
    }
    return headers_.emplace(key, std::move(made)).first->second;
  }

  // Kernels include only each other, always by the path from the repository's root.
  void collect(std::string_view path, const SourceContext& context, std::set<Key>& seen,
               std::vector<const Counted*>& all) {
    const Key key(path, context.text);
    if (!seen.insert(key).second) return;
    const Header& found = header(key, context);
    for (const Counted& counted : found.declarations) all.push_back(&counted);
    for (const IncludedHeader& include : found.includes) collect(include.path, include.context, seen, all);
  }

  // Leaves out the functions that nothing else mentions.
  static std::vector<const Counted*> used(const std::vector<const Counted*>& all) {
    // Any function may be meant where names are pasted together.
    if (std::any_of(all.begin(), all.end(), [](const Counted* one) { return one->declaration.pastes; }))
      return all;
    std::unordered_multimap<NameHash, const Counted*> functions;
    std::vector<const Counted*> found;
    for (const Counted* one : all) {
      for (const NameHash name : one->declaration.callable) functions.emplace(name, one);
      if (one->declaration.callable.empty()) found.push_back(one);
    }
    const auto add_functions = [&](NameHash name) {
      const auto [first, last] = functions.equal_range(name);
      for (auto function = first; function != last; ++function) found.push_back(function->second);
      functions.erase(first, last);
    };
    // A range-based for calls these two without a word.
    add_functions(hash_of_name("begin"));
    add_functions(hash_of_name("end"));
    for (std::size_t i = 0; i < found.size(); ++i) {  // NOLINT(modernize-loop-convert): found grows
      for (const NameHash name : found[i]->declaration.mentions) add_functions(name);
    }
    return found;
  }

  std::span<const EmbeddedFile> files_;
  std::map<Key, Header> headers_;
};

}  // namespace

std::set<DeclarationDigest> declarations_used_by(std::string_view path, std::span<const EmbeddedFile> files) {
  return Sources(files).used_by(path);
}

std::string version_of_declarations(const std::set<DeclarationDigest>& declarations) {
  Digest digest;
  for (const auto& [high, low] : declarations) digest.add(fmt::format("{:016x}{:016x}", high, low));
  return digest.hex();
}

}  // namespace bitune
