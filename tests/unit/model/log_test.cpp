#include "bitune/log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bitune {
namespace {

TEST(Log, NobodyIsToldUntilSomebodyListens) {
  log_sentence("nobody hears this");
  std::vector<std::string> heard;
  const LogFunction before = set_log([&heard](const std::string& sentence) { heard.push_back(sentence); });
  EXPECT_FALSE(before);
  log_sentence("first");
  const LogFunction mine = set_log({});
  EXPECT_TRUE(mine);
  log_sentence("nobody hears this either");
  EXPECT_EQ(heard, std::vector<std::string>{"first"});
}

TEST(Log, AListenerMayThrowOrListenNoMore) {
  set_log([](const std::string&) { throw std::runtime_error("no"); });
  EXPECT_NO_THROW(log_sentence("told to one who throws"));
  int told = 0;
  set_log([&told](const std::string&) {
    ++told;
    set_log({});
  });
  log_sentence("once");
  log_sentence("twice");
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace bitune
