// Export, import and merge on the command line: where files go, and what is told of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

/// With the trials of an H200 as the database: 525, of three caches.
class ExchangeCommand : public CommandTest {
 protected:
  ExchangeCommand() { unpack_h200("h200.db"); }

  static std::ptrdiff_t lines_of(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  }

  /// The three caches, as words of a command line: a folder takes a file for each.
  std::string caches() const {
    EXPECT_EQ(lines_of(text("db export --format cache -o caches/")), 3);
    std::string words;
    for (const auto& [name, content] : contents()) {
      if (name.rfind("caches/", 0) == 0) words += ' ' + name;
    }
    EXPECT_EQ(words_of(words).size(), 3U);
    return words;
  }

 private:
  ScopedVariable database_{"BITUNE_DB", "h200.db"};
};

TEST_F(ExchangeCommand, ACompressedFileIsNamedSo) {
  const Json told = document("db export --format t4 --n 2^18 -o t4.json --gzip");
  EXPECT_EQ(told.at("format"), "t4");
  ASSERT_EQ(told.at("files").size(), 1U);
  EXPECT_EQ(told.at("files")[0].at("path"), "t4.json.gz");
  EXPECT_EQ(told.at("files")[0].at("trials"), 67);
  EXPECT_EQ(folder_.read("t4.json.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_NE(text("db import t4.json.gz --db new.db").find("67 trials added"), std::string::npos);
}

TEST_F(ExchangeCommand, ATableGoesToStandardOutput) {
  EXPECT_GE(lines_of(text("db export --format csv")), 526);
}

TEST_F(ExchangeCommand, WhatIsImportedIsKnownAndWinsNothing) {
  const Json told = document("db import" + caches() + " --db new.db");
  EXPECT_EQ(told.at("added"), 521);
  EXPECT_EQ(told.at("updated"), 0);
  EXPECT_EQ(told.at("skipped"), 0);
  EXPECT_EQ(told.at("rejected"), 0);
  EXPECT_EQ(told.at("files").size(), 3U);
  static_cast<void>(text("db export --format t4 --n 2^18 -o t4.json --gzip"));
  EXPECT_NE(text("db import t4.json.gz --db new.db").find("0 trials added, 0 updated, 67 skipped"),
            std::string::npos);
  EXPECT_TRUE(document("db best --db new.db").at("best").empty());
  const Json trials = document("db trials --status unverified --limit 1 --db new.db").at("trials");
  ASSERT_EQ(trials.size(), 1U);
  const std::string shown = text("db show " + trials[0].at("id").dump() + " --db new.db");
  for (const char* part :
       {"unverified", "origin", "cache 'NVIDIA_H200-bitune_warp_u32_ascending-1024.json'"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << " in " << shown;
  }
}

TEST_F(ExchangeCommand, AnImportIsAllOrNothing) {
  const std::string files = caches();
  const std::string good = "caches/NVIDIA_H200-bitune_global_u32_ascending-1024.json";
  folder_.write("cut.json",
                folder_.read("caches/NVIDIA_H200-bitune_warp_u32_ascending-1024.json").substr(0, 3000));
  expect_refusal("db import " + good + " cut.json --db none.db", failed, "'cut.json'");
  expect_refusal("db import" + files + " --dry-run --db none.db", failed, "there is no tuning database");
  expect_refusal("db merge " + good + " --db none.db", failed, "is not a SQLite database");
}

TEST_F(ExchangeCommand, WhatImportTakesCheckFindsSound) {
  static_cast<void>(text("db export --format json --n 2^18 -o good.json"));
  const std::string good = folder_.read("good.json");
  const std::string name = "\"samples_us\":";
  const std::size_t begin = good.find('[', good.find(name));
  ASSERT_NE(begin, std::string::npos);
  const auto with_samples = [&](const char* samples) {
    return std::string(good).replace(begin, good.find(']', begin) + 1 - begin, samples);
  };
  static_cast<void>(text("db import good.json --db new.db"));
  folder_.write("long.json", with_samples("[1e308, 1e308]"));
  expect_refusal("db import long.json --db new.db", failed, "a sample of 1e+308 us is not a time");
  for (const char* samples : {"[]", "[0]", "[5e-324, 0]", "[1e15, 1e-300]", "[3, 1, 2, 1e15, 7]"}) {
    folder_.write("odd.json", with_samples(samples));
    static_cast<void>(text("db import odd.json --db new.db"));
    EXPECT_NE(text("db check --db new.db").find("is sound"), std::string::npos) << samples;
  }
}

TEST_F(ExchangeCommand, MergedTwiceIsMergedOnce) {
  static_cast<void>(text("db import" + caches() + " --db new.db"));
  const Json told = document("db merge h200.db new.db --db all.db");
  EXPECT_EQ(told.at("trials"), 525 + 521);
  EXPECT_EQ(told.at("devices"), 1);
  EXPECT_EQ(told.at("known"), 0);
  const std::string again = text("db merge new.db h200.db --db all.db");
  EXPECT_NE(again.find("0 trials of 0 sessions added"), std::string::npos) << again;
  EXPECT_NE(again.find("1046 trials known already"), std::string::npos) << again;
  EXPECT_NE(text("db check --db all.db").find("is sound"), std::string::npos);
  const Json dry = document("db merge all.db --db new.db --dry-run");
  EXPECT_EQ(dry.at("trials"), 525);
  EXPECT_EQ(dry.at("dry_run"), true);
}

}  // namespace
}  // namespace bitune::cli
