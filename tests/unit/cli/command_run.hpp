#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {

using Json = nlohmann::ordered_json;

/// What a command came to: its exit code, and all that it said.
struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs the command in this process, as `main` does.
inline CommandResult run_in_process(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"bitune"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandResult result;
  result.code = run_command(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

/// The words of a command line; none has a blank in it.
inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// An environment variable for as long as this lives; without a value the variable is unset.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

/// Commands that are run in this process, in a folder of their own, which is the home of all that they store.
class CommandTest : public testing::Test {
 protected:
  CommandTest() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.file(""));
  }
  ~CommandTest() override { std::filesystem::current_path(before_); }

  /// Runs a command line, whose words have no blanks in them.
  static CommandResult run(const std::string& line) { return run_in_process(words_of(line)); }

  /// The document that the command prints; the command must succeed.
  static Json document(const std::string& line) {
    const CommandResult result = run(line + " --json");
    EXPECT_EQ(result.code, 0) << line << ": " << result.err;
    return Json::parse(result.out, nullptr, false);
  }

  /// What the command prints for people; the command must succeed.
  static std::string text(const std::string& line) {
    const CommandResult result = run(line);
    EXPECT_EQ(result.code, 0) << line << ": " << result.err;
    return result.out;
  }

  /// The command ends with that code, says one sentence on standard error that has this text, prints nothing
  /// else, and leaves all files as they were.
  void expect_refusal(const std::string& line, ExitCode code, const std::string& sentence) const {
    const auto files = contents();
    const CommandResult result = run(line);
    EXPECT_EQ(result.code, code) << line;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << line << ": " << result.err;
    EXPECT_EQ(result.err.rfind("bitune: ", 0), 0U) << line << ": " << result.err;
    EXPECT_EQ(result.err.find('\n') + 1, result.err.size()) << line << ": " << result.err;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_TRUE(contents() == files) << line << " changed the files of its folder";
  }

  /// All files of the folder, hidden ones too, with what they hold; but for the kernel cache, which every
  /// device that is opened looks into.
  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.file(""))) {
      const std::string name = entry.path().lexically_relative(folder_.file("")).string();
      if (name.rfind("kernels", 0) == 0) continue;
      files.emplace(name, entry.is_regular_file() ? folder_.read(name) : "");
    }
    return files;
  }

  /// Unpacks the trials of an H200 (tests/data/h200_u32.db.gz) into this file of the folder.
  void unpack_h200(const std::string& name) const {
    gzFile packed = gzopen(BITUNE_TEST_DATA "/h200_u32.db.gz", "rb");
    ASSERT_NE(packed, nullptr);
    std::string content;
    std::vector<char> piece(1U << 16U);
    for (int size = 0; (size = gzread(packed, piece.data(), static_cast<unsigned>(piece.size()))) > 0;) {
      content.append(piece.data(), static_cast<std::size_t>(size));
    }
    ASSERT_EQ(gzclose(packed), Z_OK);
    folder_.write(name, content);
  }

  Folder folder_;

 private:
  std::filesystem::path before_;
  ScopedVariable data_{"XDG_DATA_HOME", folder_.file("data")};
  ScopedVariable cache_{"XDG_CACHE_HOME", folder_.file("kernels")};
  ScopedVariable database_{"BITUNE_DB", std::nullopt};
  ScopedVariable kernels_{"BITUNE_CACHE", std::nullopt};
  ScopedVariable shipped_{"BITUNE_SHIPPED_DB", std::nullopt};
  ScopedVariable columns_{"COLUMNS", std::nullopt};
};

}  // namespace bitune::cli
