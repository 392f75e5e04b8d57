// What makes a kernel another version, and what does not: on made-up headers.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel_sources.hpp"
#include "runtime/source_tokens.hpp"

namespace bitune::kernel_versions {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;  // of headers, by path

std::string version(const Texts& texts, const std::vector<std::string_view>& roots = {"kernels/sort.cuh"}) {
  std::vector<EmbeddedFile> files;
  for (const auto& [path, text] : texts) files.push_back({path, text});
  return digest_of_headers(roots, files);
}

std::string version_of(const std::string& text) { return version({{"kernels/sort.cuh", text}}); }

const std::string platform = R"(#pragma once
/// The platform.
#define BITUNE_DEVICE __device__ __forceinline__
#define BITUNE_KERNEL(threads) __global__ void __launch_bounds__(threads)
namespace bitune {
using u32 = unsigned int;  // a word
namespace detail {
BITUNE_DEVICE u32 one() { asm("mov.u32 %0, 1;" : "=r"(result)); return 1u; }
}  // namespace detail
inline constexpr u32 table[] = {1, 2, 4};
template <typename T, u32 n = (4 > 3)>
struct Pair { T a; T b[n]; };
BITUNE_DEVICE u32 least(u32 a, u32 b) { return b < a ? b : a; }
}
)";

const std::string sort = R"(#pragma once
#include "kernels/platform.cuh"
namespace bitune {
template <u32 threads>
BITUNE_KERNEL(threads) sort(u32* keys, u32 n) {
  Pair<u32> pair;
#if __CUDA_ARCH__ >= 900
  pair.a = least(keys[0], table[1]);
#else
  pair.a = keys[n - 1] << detail::one();
#endif
  keys[threadIdx.x] = pair.a;
}
}
)";

const Texts both = {{"kernels/platform.cuh", platform}, {"kernels/sort.cuh", sort}};

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string with_platform(const std::string& from, const std::string& to) {
  return version({{"kernels/platform.cuh", changed(platform, from, to)}, {"kernels/sort.cuh", sort}});
}

std::string with_sort(const std::string& from, const std::string& to) {
  return version({{"kernels/platform.cuh", platform}, {"kernels/sort.cuh", changed(sort, from, to)}});
}

TEST(KernelVersions, CommentsAndWhiteSpaceAreNoPart) {
  const std::string before = version(both);
  EXPECT_EQ(with_platform("/// The platform.", "/* Another\n#define comment */"), before);
  EXPECT_EQ(with_platform("  // a word", " // a \"word\\\n which goes on"), before);
  EXPECT_EQ(
      with_platform("#define BITUNE_DEVICE __device__", "  #  define BITUNE_DEVICE /* \n */ \\\n __device__"),
      before);
  EXPECT_EQ(with_platform("\"mov.u32 %0, 1;\"", "\"mov.u32 \"\n  \"%0, 1;\""), before);
  EXPECT_EQ(with_platform("b < a ? b : a", "b<a?b:a"), before);
  EXPECT_EQ(with_sort("\ntemplate <u32 threads>\n", " template\n<u32 threads\n>"), before);
  EXPECT_EQ(with_sort("#pragma once\n", "#pragma once\r\n\r\n"), before);
  EXPECT_EQ(with_platform("}\n}\n", "}\n}  // namespace bitune"), before);
}

TEST(KernelVersions, HeadersAreNoPart) {
  const std::string before = version(both);
  const auto renamed = changed(sort, "kernels/platform.cuh", "kernels/gpu/platform.cuh");
  EXPECT_EQ(version({{"kernels/gpu/platform.cuh", platform}, {"kernels/quick.cuh", renamed}},
                    {"kernels/quick.cuh"}),
            before);

  const auto joined = changed(sort, "#include \"kernels/platform.cuh\"\n", platform);
  EXPECT_EQ(version_of(joined), before);

  const std::size_t middle = platform.find("inline constexpr");
  const auto first = platform.substr(0, middle) + "}\n";
  const auto second =
      "#pragma once\n#include \"kernels/first.cuh\"\nnamespace bitune {\n" + platform.substr(middle);
  EXPECT_EQ(
      version({{"kernels/first.cuh", first}, {"kernels/platform.cuh", second}, {"kernels/sort.cuh", sort}}),
      before);
  const auto reversed = changed(sort, "#include", "#include \"kernels/first.cuh\"\n#include");
  const auto in_order = changed(sort, "cuh\"\n", "cuh\"\n#include \"kernels/first.cuh\"\n");
  for (const std::string& text : {reversed, in_order}) {
    EXPECT_EQ(
        version({{"kernels/first.cuh", first}, {"kernels/platform.cuh", second}, {"kernels/sort.cuh", text}}),
        before);
  }
}

TEST(KernelVersions, NamespacesCountHoweverTheyAreOpened) {
  const std::string before = version_of("namespace a { namespace b { int x; int y; } }");
  EXPECT_EQ(version_of("namespace a::b { int y; } namespace a { namespace b { int x; } }"), before);
  EXPECT_NE(version_of("namespace a { int x; namespace b { int y; } }"), before);
  EXPECT_NE(version_of("namespace a { inline namespace b { int x; int y; } }"), before);
  EXPECT_NE(version_of("namespace a { bx; }"), version_of("namespace ab { x; }"));
  EXPECT_NE(version_of("extern \"C\" { int x; }"), version_of("int x;"));
}

// Each token of both headers in turn is left out, doubled, and exchanged with the next.
TEST(KernelVersions, EveryTokenIsAPart) {
  const std::string before = version(both);
  for (std::size_t header = 0; header < both.size(); ++header) {
    const std::string& text = both[header].second;
    const auto tokens = tokens_of(text);
    const auto expect_another = [&](std::size_t at, std::size_t length, const std::string& instead) {
      Texts other = both;
      other[header].second.replace(at, length, instead);
      EXPECT_NE(version(other), before) << "'" << text.substr(at, length) << "' in " << both[header].first
                                        << ": '" << instead << "' instead";
    };
    bool counts = false;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const std::string one(tokens[i].text);
      const std::string next(tokens[i + 1].text);
      if (tokens[i].begins_line) counts = !tokens[i].is('#') || next == "define";
      if (!counts || one == "#" || next == "#") continue;
      const auto at = static_cast<std::size_t>(tokens[i].text.data() - text.data());
      const auto end = static_cast<std::size_t>(tokens[i + 1].text.data() - text.data()) + next.size();
      const std::string between = text.substr(at + one.size(), end - next.size() - at - one.size());
      expect_another(at, one.size(), " ");
      if (one != ";") expect_another(at, one.size(), one + " " + one);
      if (one != next) expect_another(at, end - at, next + " " + between + " " + one);
    }
  }
}

TEST(KernelVersions, ConditionsArePart) {
  const std::string before = version_of("#if A\nint x;\n#else\nint y;\n#endif\nint z;");
  EXPECT_NE(version_of("#if B\nint x;\n#else\nint y;\n#endif\nint z;"), before);
  EXPECT_NE(version_of("#if A\nint y;\n#else\nint x;\n#endif\nint z;"), before);
  EXPECT_NE(version_of("#if A\nint x;\nint z;\n#else\nint y;\n#endif"), before);
  EXPECT_NE(version_of("#if A\nint x;\n#elif B\nint y;\n#endif\nint z;"), before);
  EXPECT_EQ(version_of("int z;\n#if A\nint x;\n#else\nint y;\n#endif"), before);
  // Around what another header declares.
  const auto included = [](const std::string& condition) {
    return version({{"kernels/sort.cuh", condition + "\n#include \"kernels/x.cuh\"\n#endif"},
                    {"kernels/x.cuh", "int x;"}});
  };
  EXPECT_EQ(included("#if A"), version_of("#if A\nint x;\n#endif"));
  EXPECT_NE(included("#if A"), included("#if B"));
  // Inside a declaration, and around a part of it.
  EXPECT_NE(version_of("struct X {\n#if A\nint x;\n#endif\n};"),
            version_of("struct X {\n#if B\nint x;\n#endif\n};"));
  EXPECT_NE(version_of("#if A\ntemplate <int n>\n#endif\nstruct X;"),
            version_of("#if A\n#endif\ntemplate <int n> struct X;"));
}

TEST(KernelVersions, WhatOnlyTheEmulatedDeviceHasIsNoPart) {
  const std::string before = version_of("int x;");
  EXPECT_EQ(version_of(
                "#if defined(BITUNE_EMULATED)\n#include \"kernels/none.cuh\"\nint y;\n#else\nint x;\n#endif"),
            before);
  EXPECT_EQ(
      version_of("#ifndef BITUNE_EMULATED\nint x;\n#else\n#if A\nint y;\n#else\n#error no\n#endif\n#endif"),
      before);
  EXPECT_EQ(version_of("int\n#ifdef BITUNE_EMULATED\ny\n#else\nx\n#endif\n;"), before);
}

TEST(KernelVersions, MacrosArePart) {
  const std::string before = version_of("#define F(x) x\nint a = F(1);");
  EXPECT_NE(version_of("#define F (x) x\nint a = F(1);"), before);
  EXPECT_NE(version_of("#define F(x) -x\nint a = F(1);"), before);
  // One name may stand for one thing after the other: then the order counts.
  const std::string one_then_two =
      version_of("#define V 1\nint a = V;\n#undef V\n#define V 2\nint b = V;\n#undef V\n");
  EXPECT_NE(version_of("#define V 2\nint a = V;\n#undef V\n#define V 1\nint b = V;\n#undef V\n"),
            one_then_two);
  EXPECT_NE(version_of("#define V 1\n#undef V\n#define V 2\nint a = V;\nint b = V;\n#undef V\n"),
            one_then_two);
  EXPECT_EQ(version_of("#define V 2 // b\nint b = V;\n#undef V\n#define V 1\nint a = V;\n#undef V\n"),
            one_then_two);
}

TEST(KernelVersions, WhatCannotBeCutCountsInItsOrder) {
  const std::string before = version_of("#pragma pack(1)\nint x;\n#pragma pack()\nint y;");
  EXPECT_NE(version_of("#pragma pack(1)\nint y;\n#pragma pack()\nint x;"), before);
  EXPECT_EQ(version_of("#pragma pack(1)\nint  x; // x\n#pragma pack()\nint y;"), before);
  const std::string braces = version_of("#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\nint x;");
  EXPECT_NE(version_of("#if A\nvoid f() {\n#else\nvoid f(long) {\n#endif\n}\nint x;"), braces);
  EXPECT_NE(version_of("}\nint x;"), version_of("int x;"));
  // What such a header includes counts as well.
  const auto with = [](const std::string& text) {
    return version({{"kernels/sort.cuh", "#include \"kernels/x.cuh\"\n#pragma pack(1)\nint a;"},
                    {"kernels/x.cuh", text}});
  };
  EXPECT_NE(with("int x;"), with("int y;"));
}

TEST(KernelVersions, AFunctionCountsIfSomethingMentionsIt) {
  const auto with_helper = [](const std::string& helper) {
    return with_platform("BITUNE_DEVICE u32 least", helper + "\nBITUNE_DEVICE u32 least");
  };
  const std::string before = version(both);
  EXPECT_EQ(with_helper("BITUNE_DEVICE u32 most(u32 a, u32 b) { return most(b, a); }"), before);
  EXPECT_EQ(
      with_helper(
          "template <u32 n = 1> BITUNE_DEVICE u32 f() { return g(); } BITUNE_DEVICE u32 g() { return f(); }"),
      before);
  EXPECT_NE(with_helper("BITUNE_DEVICE u64 least(u64 a, u64 b) { return a; }"), before)
      << "it may be what a kernel calls";
  EXPECT_NE(with_helper("BITUNE_DEVICE u32 operator+(Word a, Word b) { return a; }"), before);
  EXPECT_NE(with_helper("BITUNE_DEVICE u32* begin(Words a) { return a; }"), before);
  EXPECT_NE(with_helper("BITUNE_KERNEL(1) other() {}"), before) << "nobody calls a kernel but the host";
  EXPECT_NE(with_helper("struct Other { u32 f() { return 0; } };"), before) << "the host may name a type";
  EXPECT_NE(with_helper("template <> BITUNE_DEVICE u32 least<4>(u32 a) { return a; }"), before);

  // Through another function, and through a name that is made of two.
  const auto chain = [](const std::string& last, const std::string& more) {
    return version_of("int a = f();\nint f() { return g(); }\nint g() { return " + last + "; }\n" + more);
  };
  EXPECT_NE(chain("1", ""), chain("2", ""));
  EXPECT_EQ(chain("1", "int h() { return 1; }"), chain("1", "int h() { return 2; }"));
  const std::string pasting = "#define CALL(a, b) a##b()\n";
  EXPECT_NE(chain("1", pasting + "int h() { return 1; }"), chain("1", pasting + "int h() { return 2; }"));
}

}  // namespace
}  // namespace bitune::kernel_versions
