// The compiler of the emulated device: errors, digests, concurrency, finding the host's compiler.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bitune/error.hpp"
#include "runtime/emulated/emulated_compiler.hpp"
#include "runtime/emulated/emulated_device.hpp"
#include "runtime/emulated/host_compiler.hpp"
#include "runtime/emulated/temporary_folder.hpp"

namespace bitune::emulated {
namespace {

constexpr const char* prologue =
    "#pragma once\n#include \"kernels/platform/platform.cuh\"\nnamespace bitune {\n";

EmulatedCompiler compiler_with(const std::string& definition) {
  return EmulatedCompiler({{"kernels/planted.cuh", prologue + definition + "\n}\n"}});
}

const KernelSource planted{"kernels/planted.cuh", "bitune::planted"};

/// The environment variable as it was comes back at the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value == nullptr ? unsetenv(name_) : setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(EmulatedCompiler, MakesAnImage) {
  const auto compiler = compiler_with("BITUNE_KERNEL(1, 0) planted(u32*) {}");
  const KernelImage image = compiler.compile(planted);
  EXPECT_EQ(image.target, "emulated so");
  EXPECT_EQ(image.lowered_name, "bitune::planted");
  EXPECT_EQ(image.bytes.substr(1, 3), "ELF");
  EXPECT_EQ(image.registers, 0);
  EXPECT_EQ(image.local_bytes, 0);
}

TEST(EmulatedCompiler, ErrorsCarryTheKernelAndTheLog) {
  const auto compiler = compiler_with("BITUNE_KERNEL(1, 0) planted(u32*) { no_such_function(); }");
  try {
    (void)compiler.compile(planted);
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::compile);
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("bitune::planted"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("no_such_function"), std::string::npos) << sentence;
  }
  EXPECT_THROW((void)compiler.compile({"kernels/no_such_header.cuh", "bitune::planted"}), Error);
  EXPECT_THROW((void)compiler.compile({"kernels/planted.cuh", "bitune::no_such_kernel"}), Error);
}

TEST(EmulatedCompiler, DigestTellsApartWhatGoesIn) {
  const auto compiler = compiler_with("template <int> BITUNE_KERNEL(1, 0) planted(u32*) {}");
  const auto other = compiler_with("template <int> BITUNE_KERNEL(2, 0) planted(u32*) {}");
  const KernelSource one{"kernels/planted.cuh", "bitune::planted<1>"};
  const KernelSource two{"kernels/planted.cuh", "bitune::planted<2>"};
  EXPECT_EQ(compiler.digest(one), compiler.digest(one));
  EXPECT_EQ(compiler.digest(one).size(), 32u);
  EXPECT_NE(compiler.digest(one), compiler.digest(two));
  EXPECT_NE(compiler.digest(one), other.digest(one)) << "a header differs";
}

TEST(EmulatedCompiler, CompilesFromSeveralThreads) {
  const auto compiler =
      compiler_with("template <int n> BITUNE_KERNEL(1, 0) planted(u32* data) { *data = n; }");
  const auto device = make_emulated_device(EmulatedOptions{});
  std::vector<std::thread> threads;
  std::vector<std::uint32_t> results(4);
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      const KernelSource source{"kernels/planted.cuh", "bitune::planted<" + std::to_string(i + 1) + ">"};
      const auto kernel = device->load(compiler.compile(source));
      const std::vector<std::uint64_t> arguments = {reinterpret_cast<std::uint64_t>(&results[i])};
      device->launch(*kernel, Launch{}, arguments, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results, (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

/// Several at once, of which two would define the same name: those are compiled one by one.
TEST(EmulatedCompiler, CompilesTogetherWhatCanBe) {
  const std::string add = "template <int n> BITUNE_KERNEL(1, 0) planted(u32* data) { *data += ";
  const EmulatedCompiler compiler({{"kernels/planted.cuh", prologue + add + "n; }\n}\n"},
                                   {"kernels/clash.cuh", prologue + add + "10 * n; }\n}\n"}});
  const std::vector<KernelSource> sources = {{"kernels/planted.cuh", "bitune::planted<1>"},
                                             {"kernels/planted.cuh", "bitune::planted<2>"}};
  const auto sum_of = [](const std::vector<KernelImage>& images) {
    const auto device = make_emulated_device(EmulatedOptions{});
    std::uint32_t sum = 0;
    const std::vector<std::uint64_t> arguments = {reinterpret_cast<std::uint64_t>(&sum)};
    for (const KernelImage& image : images) {
      device->launch(*device->load(image), Launch{}, arguments, nullptr);
      device->synchronize(nullptr);
    }
    return sum;
  };
  const auto together = compiler.compile_all(sources);
  ASSERT_EQ(together.size(), 2u);
  EXPECT_EQ(together[0].bytes, together[1].bytes);
  EXPECT_EQ(sum_of(together), 3u);
  const auto apart = compiler.compile_all(
      std::vector<KernelSource>{sources[1], {"kernels/clash.cuh", "bitune::planted<2>"}});
  EXPECT_NE(apart[0].bytes, apart[1].bytes);
  EXPECT_EQ(sum_of(apart), 22u);
  EXPECT_TRUE(compiler.compile_all({}).empty());
  EXPECT_THROW((void)compiler.compile_all(
                   std::vector<KernelSource>{sources[0], {"kernels/planted.cuh", "bitune::no_such_kernel"}}),
               Error);
}

TEST(EmulatedKernel, RefusesImagesThatAreNoKernel) {
  const auto device = make_emulated_device(EmulatedOptions{});
  KernelImage image;
  image.lowered_name = "bitune::broken";
  for (const char* bytes : {"", "not a shared object"}) {
    image.bytes = bytes;
    try {
      (void)device->load(image);
      FAIL() << "loaded '" << bytes << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::device);
      EXPECT_NE(std::string(error.what()).find("bitune::broken"), std::string::npos) << error.what();
    }
  }
}

TEST(HostCompiler, IsFoundAndDescribed) {
  const auto compiler = find_host_compiler();
  ASSERT_TRUE(compiler.has_value());
  EXPECT_FALSE(compiler->version.empty());
  EXPECT_NE(describe_host_compiler().find(compiler->path.string()), std::string::npos);
}

TEST(HostCompiler, ChosenOneMustWork) {
  for (const char* wrong : {"/no/such/compiler", "no-such-compiler", "/etc/passwd", "/bin/false"}) {
    const Variable chosen("BITUNE_CXX", wrong);
    try {
      (void)find_host_compiler();
      FAIL() << "took " << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unavailable);
      EXPECT_NE(std::string(error.what()).find(wrong), std::string::npos) << error.what();
    }
    EXPECT_EQ(describe_host_compiler(), "");
  }
}

TEST(HostCompiler, WhatCannotBeStartedIsNotMissing) {
  const TemporaryFolder folder;
  const auto path = folder.unique("-compiler");
  write_file(path, "\x7f no program");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const Variable chosen("BITUNE_CXX", path.c_str());
  const std::string problem = host_compiler_problem();
  EXPECT_NE(problem.find("Cannot start " + path.string()), std::string::npos) << problem;
  EXPECT_EQ(problem.find("there is no C++ compiler"), std::string::npos) << problem;
}

TEST(HostCompiler, UsualVariablePassesOverWhatIsNoExecutable) {
  const Variable chosen("BITUNE_CXX", nullptr);
  const Variable usual("CXX", "ccache g++ -m32");
  EXPECT_TRUE(find_host_compiler().has_value());
}

TEST(HostCompiler, NoneOnThePath) {
  const Variable chosen("BITUNE_CXX", nullptr);
  const Variable usual("CXX", nullptr);
  const Variable path("PATH", "/no/such/folder");
  EXPECT_FALSE(find_host_compiler().has_value());
  const EmulatedCompiler compiler;
  EXPECT_THROW((void)compiler.identity(), Error);
  EXPECT_THROW((void)compiler.compile(planted), Error);
  EXPECT_EQ(make_emulated_device(EmulatedOptions{})->software().compiler, "none");
}

TEST(RunProcess, GivesExitCodeAndOutput) {
  const ProcessResult result = run_process("/bin/sh", {"-c", "echo out; echo 'a b' >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "out\na b\n");
  EXPECT_EQ(run_process("/bin/sh", {"-c", "kill -9 $$"}).exit_code, 128 + 9);
  EXPECT_THROW((void)run_process("/no/such/program", {}), Error);
}

TEST(TemporaryFolder, IsPrivateAndGoesAway) {
  namespace fs = std::filesystem;
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_NE(folder.unique(".so"), folder.unique(".so"));
    write_file(path / "below" / "file", std::string("a\0b", 3));
    EXPECT_EQ(read_file(path / "below" / "file"), std::string("a\0b", 3));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_THROW((void)read_file(path / "file"), Error);
  const Variable unwritable("TMPDIR", "/no/such/folder");
  EXPECT_THROW(TemporaryFolder(), Error);
}

}  // namespace
}  // namespace bitune::emulated
