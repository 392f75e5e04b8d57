#pragma once

/// \file
/// Headers of device code, cut into what they declare.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bitune {

/// A hash of an identifier: cheaper to compare. It is another one in each process.
using NameHash = std::size_t;

/// Where a declaration stands: what is around it, from the outside to the inside.
struct SourceContext {
  std::string text;                ///< namespaces, and conditions of the preprocessor
  std::vector<NameHash> mentions;  ///< identifiers of the conditions
};

/// One declaration of a namespace, or one macro.
struct Declaration {
  std::string text;                ///< its tokens, and what is around it; no comments, no white space
  std::vector<NameHash> mentions;  ///< its identifiers, and those of the conditions; some several times
  /// What a plain function may be called: it is of no matter where nothing mentions one of these. Empty for
  /// all else.
  std::vector<NameHash> callable;
  bool pastes = false;  ///< it has a `##`, which may make any name
};

[[nodiscard]] inline NameHash hash_of_name(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

/// A header that another one includes.
struct IncludedHeader {
  std::string_view path;
  SourceContext context;  ///< of the directive
};

/// What a header holds.
struct SourceParts {
  std::vector<Declaration> declarations;
  std::vector<IncludedHeader> includes;
};

/// Cuts a header, included in `context`, into its declarations. The paths are parts of `text`.
///
/// - A declaration carries the namespaces and the conditions (#if, #else) that it stands in. Conditions
/// inside
///   it are a part of it.
/// - BITUNE_EMULATED is taken to be undefined, and what needs it is left out: this is the code of a GPU.
/// - A macro that the header undefines again makes one declaration of all from its #define to its #undef.
/// - Where cutting might lose something (a directive that acts on what follows, braces that conditions leave
///   open), the whole header is one declaration. So nothing that is compiled is ever left out.
[[nodiscard]] SourceParts cut_source(std::string_view text, const SourceContext& context = {});

}  // namespace bitune
