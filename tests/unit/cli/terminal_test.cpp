#include "cli/terminal.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "bitune/error.hpp"
#include "cli/durations.hpp"
#include "cli/progress_line.hpp"
#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

TEST(Terminal, ShortensWithAnEllipsis) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("äöüß", 4), "äöüß");
  EXPECT_EQ(shortened("äöüß", 2), "ä…");
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Terminal, WrapsAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 8), "one two\nthree");
  EXPECT_EQ(wrapped("incomprehensible", 4), "incomprehensible");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Terminal, ChoosesUnits) {
  EXPECT_EQ(microseconds_text(12.34), "12.3 us");
  EXPECT_EQ(microseconds_text(12345), "12.35 ms");
  EXPECT_EQ(microseconds_text(2e6), "2.00 s");
  EXPECT_EQ(microseconds_text(std::nullopt), "-");
  EXPECT_EQ(rate_text(1e6, 1000), "1.00 Gkeys/s");
  EXPECT_EQ(rate_text(1000, 100), "10.00 Mkeys/s");
  EXPECT_EQ(rate_text(1000, 0), "-");
  EXPECT_EQ(duration_text(8.21), "8.2 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

TEST(Terminal, BarsAreFull) {
  EXPECT_EQ(ProgressLine::bar(0, 0), "[----------------] 0/0");
  EXPECT_EQ(ProgressLine::bar(5, 10), "[########--------] 5/10");
  EXPECT_EQ(ProgressLine::bar(11, 10), "[################] 11/10");
}

TEST(Progress, IsALineOfItsOwnWhereThereIsNoTerminal) {
  testing::internal::CaptureStderr();
  ProgressLine line(std::chrono::seconds(0));
  EXPECT_TRUE(line.due());
  line.show("one");
  line.show("two");
  line.clear();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "bitune: one\nbitune: two\n");
  EXPECT_FALSE(ProgressLine(std::chrono::hours(1)).due()) << "short commands print none";
}

TEST_F(CommandTest, QuietIsQuietBesidesErrors) {
  folder_.write("keys.txt", "3 1 2\n");
  const CommandResult sorted = run("sort keys.txt -o sorted.txt --quiet --device emulated");
  EXPECT_EQ(sorted.code, 0) << sorted.err;
  EXPECT_EQ(sorted.err, "");
  EXPECT_EQ(folder_.read("sorted.txt"), "1\n2\n3\n");
  testing::internal::CaptureStderr();
  ProgressLine line(std::chrono::seconds(0));
  line.show("nobody sees this");
  print_remark("nor this");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  expect_refusal("sort missing.txt --quiet", failed, "missing.txt");
  EXPECT_NE(run("sort keys.txt -o sorted.txt --device emulated").err, "") << "the next command is not";
}

TEST(Terminal, WidthComesFromTheEnvironment) {
  setenv("COLUMNS", "57", 1);
  EXPECT_EQ(output_width(), 57U);
  setenv("COLUMNS", "none", 1);
  EXPECT_GT(output_width(), 0U);
  unsetenv("COLUMNS");
}

TEST(Table, AlignsColumns) {
  Table table({{"name"}, {"n", Align::right}});
  EXPECT_TRUE(table.empty());
  table.add({"a", "1"});
  table.add({"long", "100"});
  EXPECT_EQ(table.text(unlimited_width), "name    n\na       1\nlong  100\n");
}

TEST(Table, ShrinksTheFirstColumnFirst) {
  Table table({{"device", Align::left, 6}, {"n"}, {"configuration", Align::left, 13}});
  table.add({"NVIDIA H200", "8", "warp(block_size_x=256)"});
  EXPECT_EQ(table.text(36), "device     n  configuration\nNVIDIA H…  8  warp(block_size_x=256)\n");
  EXPECT_EQ(table.text(26), "device  n  configuration\nNVIDI…  8  warp(block_siz…\n");
  EXPECT_EQ(table.text(24), "device  n  configuration\nNVIDI…  8  warp(block_s…\n");
}

TEST(Table, IsBlocksOfLinesWhereEvenThatIsTooWide) {
  Table table({{"device", Align::left, 6}, {"n"}, {"configuration", Align::left, 13}});
  table.add({"NVIDIA H200", "8", "warp(block_size_x=256)"});
  table.add({"Ä", "16", ""});
  EXPECT_EQ(table.text(23),
            "device         NVIDIA …\nn              8\nconfiguration  warp(bl…\n\n"
            "device         Ä\nn              16\nconfiguration\n");
  EXPECT_EQ(Table({{"long heading"}}).text(1), "long heading\n") << "there is no row";
}

TEST(Terminal, EscapesWhatATerminalShouldNotGet) {
  EXPECT_EQ(escaped("aä€😀"), "aä€😀");
  EXPECT_EQ(escaped("a\x1b[1mb\n\tc\x7f"), "a\\x1b[1mb\n\tc\\x7f");
  // Cut, too long, a surrogate, beyond Unicode, a control character of Latin-1.
  EXPECT_EQ(escaped("\xc3"), "\\xc3");
  EXPECT_EQ(escaped("\xff\xc3\xa4"), "\\xffä");
  EXPECT_EQ(escaped("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\xc2\\x9b");
}

TEST(Terminal, EscapeCodesGoOnlyWhereTheyAreTaken) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const auto with = [&](const char* name, const char* no_color) {
    const ScopedVariable term("TERM", name);
    const ScopedVariable color("NO_COLOR",
                               no_color != nullptr ? std::optional<std::string>(no_color) : std::nullopt);
    return takes_escape_codes(terminal);
  };
  EXPECT_TRUE(with("xterm", nullptr));
  EXPECT_TRUE(with("xterm", "")) << "an empty variable says nothing";
  EXPECT_FALSE(with("xterm", "1"));
  EXPECT_FALSE(with("dumb", nullptr));
  EXPECT_FALSE(with("", nullptr));
  ::close(terminal);
  const ScopedVariable term("TERM", "xterm");
  EXPECT_FALSE(takes_escape_codes(terminal)) << "no terminal";
}

TEST(Table, LeavesColumnsOutWhereShrinkingIsNotEnough) {
  Table table({{"device", Align::left, 6},
               {"order", Align::left, unlimited_width, 1},
               {"n", Align::right},
               {"rate", Align::right, unlimited_width, 2}});
  table.add({"NVIDIA H200", "asc", "8", "12.5"});
  EXPECT_EQ(table.text(22), "device  order  n  rate\nNVIDI…  asc    8  12.5\n") << "two columns of gap each";
  EXPECT_EQ(table.text(20), "device       n  rate\nNVIDIA H200  8  12.5\n") << "there is room again";
  EXPECT_EQ(table.text(14), "device       n\nNVIDIA H200  8\n");
  EXPECT_EQ(table.text(9), "device  n\nNVIDI…  8\n") << "the others stay";
}

TEST(Table, LeavesOutAColumnThatSaysOnlyWhatIsUsual) {
  Table table({{.heading = "operation", .usual = "sort"}, {"n"}});
  table.add({"sort", "8"});
  EXPECT_EQ(table.text(unlimited_width), "n\n8\n");
  EXPECT_EQ(table.text(0).find("operation"), std::string::npos) << "in blocks, too";
  table.add({"argsort 4 B", "8"});
  EXPECT_EQ(table.text(unlimited_width), "operation    n\nsort         8\nargsort 4 B  8\n");
}

TEST(Durations, HaveUnits) {
  EXPECT_DOUBLE_EQ(parse_duration("30s"), 30);
  EXPECT_DOUBLE_EQ(parse_duration("1.5m"), 90);
  EXPECT_DOUBLE_EQ(parse_duration("2h"), 7200);
  EXPECT_DOUBLE_EQ(parse_duration("500ms"), 0.5);
  for (const char* text : {"", "30", "s", "-5s", "0s", "1 s", "1d", "nans", "infs", "1e300h", "5sx"}) {
    EXPECT_THROW(static_cast<void>(parse_duration(text)), Error) << text;
  }
}

TEST(Precision, IsAPartOfTheMedian) {
  EXPECT_DOUBLE_EQ(parse_precision("1%"), 0.01);
  EXPECT_DOUBLE_EQ(parse_precision("0.5 %"), 0.005);
  EXPECT_EQ(parse_precision("none"), 0);
  for (const char* text : {"", "1", "0%", "-1%", "100%", "nan%", "one%", "1%%"}) {
    EXPECT_THROW(static_cast<void>(parse_precision(text)), Error) << text;
  }
}

TEST(Budgets, AreDurationsOrNumbers) {
  EXPECT_EQ(parse_budget("60s"), (Budget{60.0, std::nullopt}));
  EXPECT_EQ(parse_budget("200evals"), (Budget{std::nullopt, 200}));
  EXPECT_EQ(parse_budget("60s,200evals"), (Budget{60.0, 200}));
  EXPECT_EQ(parse_budget("200evals,1.5m"), (Budget{90.0, 200}));
  EXPECT_EQ(parse_budget("none"), Budget{});
  for (const char* text :
       {"", "0", "-1", "fast", "1.5", "60s,", ",60s", "60s,30s", "5,6evals", "1s,2,3", "5eval"}) {
    EXPECT_THROW(static_cast<void>(parse_budget(text)), Error) << text;
  }
}

}  // namespace
}  // namespace bitune::cli
