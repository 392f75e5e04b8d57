#include "bench/start.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bitune/error.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

/// A program that stands for bitune's processes: a script.
class StartBench : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("bitune-start-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    request.device = "emulated";
    request.kernel_cache = (folder / "cache").string();
    request.sizes = {300};
    request.samples = 3;
  }
  void TearDown() override { fs::remove_all(folder); }

  /// Each process runs `lines`, in which $i is its number, from 1 on.
  void set_program(const std::string& lines) {
    const fs::path path = folder / "program";
    std::ofstream(path) << "#!/bin/sh\ncd '" << folder.string()
                        << "'\ni=$(($(cat count 2>/dev/null || echo 0) + 1))\necho $i >count\n"
                        << "echo \"$@\" >arguments\n"
                        << lines << '\n';
    fs::permissions(path, fs::perms::owner_all);
    request.program = path.string();
  }

  [[nodiscard]] static std::string answering(const std::string& compiled,
                                             const std::string& verified = "true") {
    return R"(echo "{\"cuda_start_us\":$((1000 * i)),\"first_us\":$((100 * i)),\"second_us\":$i,)"
           R"(\"compiled_kernels\":)" +
           compiled + R"(,\"verified\":)" + verified +
           R"(,\"configuration\":\"rows(block_size_x=32)\",\"match\":\"exact\"}")";
  }

  [[nodiscard]] StartBenchResult run() {
    return run_start_bench(
        request, [this](const StartBenchProgress&) { ++processes; }, stop);
  }
  [[nodiscard]] std::string sentence(ErrorCode code) {
    try {
      static_cast<void>(run());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  fs::path folder;
  StartBenchRequest request;
  int processes = 0;
  std::atomic<bool> stop{false};
};

TEST_F(StartBench, ReportsMediansOfAllProcessesButTheFirst) {
  set_program("echo what a library says; " + answering("$((i == 1))"));
  request.database = "some.db";
  const StartBenchResult result = run();
  EXPECT_EQ(processes, 4);
  EXPECT_EQ(result.note, "");
  ASSERT_EQ(result.records.size(), 1u);
  const BenchRecord& record = result.records[0];
  EXPECT_EQ(record.suite, "start");
  EXPECT_EQ(record.problem.n, 300u);
  ASSERT_TRUE(record.start.has_value());
  EXPECT_EQ(record.start->cuda_start_us, 3000);
  EXPECT_EQ(record.start->first_us, 300);
  EXPECT_EQ(record.start->second_us, 3);
  EXPECT_EQ(record.start->compiled, 0);
  EXPECT_EQ(record.bitune_us, 300);
  EXPECT_EQ(record.samples, 3);
  EXPECT_EQ(record.configuration, "rows(block_size_x=32)");
  EXPECT_FALSE(record.kernel.empty());
  EXPECT_TRUE(record.verified);
  std::string arguments;
  std::getline(std::ifstream(folder / "arguments"), arguments);
  EXPECT_EQ(arguments,
            "bench start-process --device emulated --key u32 --size 300 --order ascending --seed 1 "
            "--db some.db --cache " +
                request.kernel_cache);
}

TEST_F(StartBench, DoesNotCountAProcessThatCompiles) {
  set_program(answering("$((i == 1 || i == 4))", R"($([ $i = 3 ] && echo false || echo true))"));
  const StartBenchResult result = run();
  ASSERT_EQ(result.records.size(), 1u);
  EXPECT_EQ(result.records[0].samples, 2);
  EXPECT_EQ(result.records[0].start->first_us, 250);
  EXPECT_EQ(result.records[0].start->compiled, 1);
  EXPECT_FALSE(result.records[0].verified) << "one of those that count was wrong";
  EXPECT_NE(result.note.find("1 of 3 processes compiled"), std::string::npos) << result.note;
}

TEST_F(StartBench, WantsAKernelCacheThatKeepsKernels) {
  set_program(answering("1"));
  const std::string refusal = sentence(ErrorCode::unavailable);
  EXPECT_NE(refusal.find(request.kernel_cache), std::string::npos) << refusal;
}

TEST_F(StartBench, SaysHowAProcessFailed) {
  set_program("exit 7");
  EXPECT_NE(sentence(ErrorCode::unavailable).find("exited with code 7"), std::string::npos);
  set_program(R"(echo '{"error": "there is no GPU 3"}'; exit 1)");
  EXPECT_NE(sentence(ErrorCode::unavailable).find("there is no GPU 3"), std::string::npos);
  set_program(R"(echo '{"first_us": 1}')");
  EXPECT_NE(sentence(ErrorCode::input).find("cannot be read"), std::string::npos);
  request.program = (folder / "none").string();
  EXPECT_NE(sentence(ErrorCode::unavailable).find("none"), std::string::npos);
  request.sizes = {1};
  EXPECT_NE(sentence(ErrorCode::usage).find("use 2 or more"), std::string::npos);
}

TEST_F(StartBench, Stops) {
  set_program("exec cat");  // waits for what never comes, and ends with the bench
  stop = true;
  EXPECT_TRUE(run().records.empty());
}

TEST(StartProcess, MeasuresItselfOnTheEmulatedDevice) {
  const fs::path folder = fs::temp_directory_path() / ("bitune-start-self-" + std::to_string(::getpid()));
  StartProcessRequest request{.device = "emulated",
                              .database = (folder / "none.db").string(),
                              .kernel_cache = (folder / "cache").string(),
                              .problem = {{.key = KeyType::f32, .order = Order::descending}, {.n = 100}}};
  const StartProcessAnswer compiling = measure_start(request);
  const StartProcessAnswer warm = measure_start(request);
  fs::remove_all(folder);
  EXPECT_GT(compiling.compiled_kernels, 0);
  EXPECT_EQ(warm.compiled_kernels, 0);
  EXPECT_TRUE(warm.verified);
  EXPECT_EQ(warm.cuda_start_us, 0) << "there is no CUDA to start";
  EXPECT_GT(warm.first_us, 0);
  EXPECT_EQ(warm.match, "default");
  const StartProcessAnswer read = start_answer_from(json_of(warm));
  EXPECT_EQ(read.configuration, warm.configuration);
  EXPECT_EQ(read.second_us, warm.second_us);
}

}  // namespace
}  // namespace bitune
