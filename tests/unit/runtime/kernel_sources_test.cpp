#include "runtime/kernel_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/source_declarations.hpp"
#include "runtime/source_tokens.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/variant_problems.hpp"

namespace bitune {
namespace {

/// The embedded headers by path, to be changed.
using Headers = std::map<std::string, std::string>;

Headers embedded_headers() {
  Headers headers;
  for (const EmbeddedFile& file : embedded_kernels()) headers.emplace(file.path, file.text);
  return headers;
}

/// The versions of all variants, were these the kernels. Those that differ from today's are named.
std::set<std::string> variants_of_another_version(const Headers& headers) {
  std::vector<EmbeddedFile> files;
  for (const auto& [path, text] : headers) files.push_back({path, text});
  std::set<std::string> names;
  for (const Variant* family : variants()) {
    const std::string digest = digest_of_headers(family->kernel_headers(), files);
    if (digest != kernel_sources_digest(family->name())) names.emplace(family->name());
  }
  return names;
}

/// The header with this name, in whatever folder it lies.
Headers::iterator named(Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return header.first.ends_with("/" + std::string(name));
  });
  EXPECT_NE(found, headers.end()) << name;
  return found;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

const std::set<std::string> none;

TEST(KernelSources, DigestCoversWhatAHeaderIncludes) {
  const std::string tile = digest_of_headers({"kernels/warp/tile_sort.cuh"});
  const std::string both =
      digest_of_headers({"kernels/network/register_tile.cuh", "kernels/warp/tile_sort.cuh"});
  const std::string other = digest_of_headers({"kernels/rows/row_sort.cuh"});
  EXPECT_EQ(tile, both) << "tile_sort.cuh includes register_tile.cuh";
  EXPECT_NE(tile, other);
}

TEST(KernelSources, CommentsAndWhiteSpaceMakeNoOtherVersion) {
  Headers headers = embedded_headers();
  for (auto& [path, text] : headers) {
    std::string bare;
    for (const Token& token : tokens_of(text)) {
      if (token.begins_line || token.after_space) bare += token.begins_line ? "\n/* here */ " : "\t";
      bare += token.text;
    }
    EXPECT_NE(bare, text);
    text = bare + "  // the end";
  }
  EXPECT_EQ(variants_of_another_version(headers), none);
}

TEST(KernelSources, NamesAndOrderOfHeadersMakeNoOtherVersion) {
  Headers headers = embedded_headers();
  const auto codec = named(headers, "codec.cuh");
  const std::string path = codec->first;
  const std::string text = codec->second;
  headers.erase(codec);
  headers["kernels/elsewhere/keys.cuh"] = text;
  for (auto& [_, other] : headers) {
    replace_all(other, "\"" + path + "\"", "\"kernels/elsewhere/keys.cuh\"");
    // What is included first comes last.
    const std::string directive = "#include \"";
    const std::size_t first = other.find(directive);
    if (first == other.npos) continue;
    const std::size_t second = other.find('\n', first) + 1;
    std::size_t last = second;
    while (other.compare(last, directive.size(), directive) == 0) last = other.find('\n', last) + 1;
    std::rotate(other.begin() + static_cast<std::ptrdiff_t>(first),
                other.begin() + static_cast<std::ptrdiff_t>(second),
                other.begin() + static_cast<std::ptrdiff_t>(last));
  }
  EXPECT_EQ(variants_of_another_version(headers), none);
}

TEST(KernelSources, SplittingAndJoiningHeadersMakesNoOtherVersion) {
  Headers headers = embedded_headers();
  const auto codec = named(headers, "codec.cuh");
  std::string& text = codec->second;
  const std::size_t middle = text.find("\n};\n") + 4;  // a type ends there, in the namespace
  headers["kernels/network/first_half.cuh"] = text.substr(0, middle) + "}  // namespace bitune\n";
  text =
      "#pragma once\n#include \"kernels/network/first_half.cuh\"\nnamespace bitune {\n" + text.substr(middle);
  EXPECT_EQ(variants_of_another_version(headers), none);

  const std::string include = "#include \"" + codec->first + "\"\n";
  const std::string whole = text;
  std::size_t joined = 0;
  for (auto& [path, other] : headers) {
    if (other.find(include) != other.npos) ++joined;
    replace_all(other, include, whole);
  }
  EXPECT_GT(joined, 1u);
  EXPECT_EQ(variants_of_another_version(headers), none);
}

TEST(KernelSources, AnInstructionMakesAnotherVersionOfWhatUsesIt) {
  Headers headers = embedded_headers();
  replace_all(named(headers, "cuda/arithmetic.cuh")->second, "__vminu2", "__vmaxu2");
  EXPECT_EQ(variants_of_another_version(headers), (std::set<std::string>{"packed_clusters", "packed_rows"}));

  headers = embedded_headers();
  std::string& text = named(headers, "radix_pass.cuh")->second;
  const std::size_t kernel = text.find('{', text.find("BITUNE_KERNEL"));
  text.insert(text.find(';', kernel) + 1, " sync_block();");
  EXPECT_EQ(variants_of_another_version(headers),
            (std::set<std::string>{"direct_segments", "leading_digits", "radix", "radix_pairs",
                                   "rows_as_segments", "segments", "segments_radix", "segments_topk"}));
}

TEST(KernelSources, WhatNoKernelUsesMakesNoOtherVersion) {
  Headers headers = embedded_headers();
  named(headers, "cuda/arithmetic.cuh")->second +=
      "namespace bitune { BITUNE_DEVICE u32 unused(u32 a) { return a + 1; } }\n";
  named(headers, "emulated/arithmetic.cuh")->second += "inline int only_for_the_host = 1;\n";
  EXPECT_EQ(variants_of_another_version(headers), none);
}

// One declaration in place of a whole header would make another version of what is but moved about.
TEST(KernelSources, EveryHeaderCanBeCut) {
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (file.path.find("emulated") != file.path.npos) continue;  // no part of the versions
    for (const Declaration& declaration : cut_source(file.text).declarations) {
      EXPECT_EQ(declaration.text.find("pragma"), std::string::npos) << file.path << " is one declaration";
    }
  }
}

TEST(KernelSources, AHeaderThatIsNotEmbeddedIsAnError) {
  EXPECT_THROW((void)digest_of_headers({"kernels/none.cuh"}), Error);
}

TEST(KernelSources, EveryVariantHasAVersionOfItsOwn) {
  std::set<std::string> digests;
  for (const Variant* family : variants()) {
    digests.insert(kernel_sources_digest(family->name()));
    EXPECT_EQ(kernel_sources_digest(family->name()), digest_of_headers(family->kernel_headers()))
        << "what was found when bitune was built is what its headers have";
  }
  EXPECT_EQ(digests.size(), variants().size());
  EXPECT_EQ(digests.count(""), 0u);
  EXPECT_EQ(kernel_sources_digest("no such variant"), "");
}

// A plan that used a header which its variant does not name would leave old trials standing when that
// changes.
TEST(KernelSources, PlansUseNoHeaderThatTheirVariantDoesNotName) {
  const DeviceInfo device = test::h200();
  for (const Variant* family : variants()) {
    const auto named = family->kernel_headers();
    std::set<std::string_view> used;
    const auto add = [&](const Problem& problem, const Configuration& configuration) {
      const Plan plan = family->plan(problem, configuration, device);
      for (const Launch& launch : plan.launches) {
        const KernelSource& kernel = plan.kernels[launch.kernel];
        const auto known = std::find(named.begin(), named.end(), kernel.header);
        ASSERT_NE(known, named.end()) << family->name() << " launches a kernel of " << kernel.header;
        used.insert(*known);
      }
    };
    for (const std::uint64_t n :
         {std::uint64_t{100}, std::uint64_t{5000}, std::uint64_t{1} << 20, std::uint64_t{1} << 33}) {
      const bool is_wide = family->name() == "leading_digits" || family->name() == "persistent_rows";
      const KeyType key = is_wide ? KeyType::f32 : KeyType::f16;
      for (const Problem& problem : test::kinds_of_problems(key, {.n = n})) {
        if (!family->supports(problem, device)) continue;
        add(problem, family->default_configuration(problem, device));
        const SearchSpace space = family->space(problem, device);
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(space.cartesian_size(), 250); ++i) {
          const Configuration configuration = test::drawn_point(space, i);
          if (!space.violation(configuration, problem, device)) add(problem, configuration);
        }
      }
    }
    if (family->name() == "array_parts") continue;  // one of what it names is chosen by the parts' sizes
    EXPECT_EQ(used.size(), named.size()) << family->name() << " names a header that no plan uses";
  }
}

}  // namespace
}  // namespace bitune
