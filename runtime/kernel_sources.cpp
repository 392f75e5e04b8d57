#include "runtime/kernel_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/source_declarations.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

/// A declaration by the digest of its text, which is not kept.
struct Counted {
  Declaration declaration;
  std::array<std::uint64_t, 2> digest;
};

/// Headers, each cut when it is needed first.
class Sources {
 public:
  explicit Sources(std::span<const EmbeddedFile> files) : files_(files) {}

  std::string digest(const std::vector<std::string_view>& headers) {
    std::set<Key> seen;
    std::vector<const Counted*> all;
    for (const std::string_view header : headers) collect(header, {}, seen, all);
    // Sorted, and each one once: neither their order nor their header matters.
    std::set<std::array<std::uint64_t, 2>> digests;
    for (const Counted* counted : used(all)) digests.insert(counted->digest);
    Digest digest;
    for (const auto& [high, low] : digests) digest.add(fmt::format("{:016x}{:016x}", high, low));
    return digest.hex();
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
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const NameHash name : found[i]->declaration.mentions) add_functions(name);
    }
    return found;
  }

  std::span<const EmbeddedFile> files_;
  std::map<Key, Header> headers_;
};

}  // namespace

std::string digest_of_headers(const std::vector<std::string_view>& headers,
                              std::span<const EmbeddedFile> files) {
  return Sources(files).digest(headers);
}

std::string kernel_sources_digest(std::string_view variant_name) {
  const auto all = variants();
  const auto family = std::find_if(
      all.begin(), all.end(), [variant_name](const Variant* one) { return one->name() == variant_name; });
  if (family == all.end()) return {};
  static std::mutex mutex;
  static Sources sources(embedded_kernels());
  static std::map<std::string_view, std::string> digests;
  const std::lock_guard lock(mutex);
  auto digest = digests.find(variant_name);
  if (digest == digests.end()) {
    digest = digests.emplace((*family)->name(), sources.digest((*family)->kernel_headers())).first;
  }
  return digest->second;
}

}  // namespace bitune
