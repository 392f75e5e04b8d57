// Files that mean no good, or that were damaged on their way: one sentence each, soon and without much
// memory.

#include <zlib.h>

#include <chrono>

#include "tests/unit/tuner/exchange_fixture.hpp"

namespace bitune::test {
namespace {

class HostileTest : public ExchangeTest {
 protected:
  void expect_refused(const std::string& text, const std::string& words) const {
    const std::string sentence = refusal(text);
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  }

  // One good entry of which a part is replaced.
  void expect_entry_refused(const std::string& members, const std::string& words) const {
    expect_refused(cache_of(entry_of(32, 4, members)), words);
  }
};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

TEST_F(HostileTest, WhatIsNoneOfTheFormats) {
  for (const char* text : {"", " ", "[]", "{}", "7", "null", "\"cache\"", "{\"trials\": []}"}) {
    static_cast<void>(refusal(text));
  }
  expect_refused("PK\x03\x04", "not JSON");
  expect_refused(std::string(1000, '\0'), "not JSON");
  expect_refused("\xff\xfe{}", "not JSON");
  EXPECT_THROW(static_cast<void>(read_recordings(folder)), Error);
  EXPECT_THROW(static_cast<void>(read_recordings(folder / "missing.json")), Error);
}

TEST_F(HostileTest, DeepNestingAndManyValuesEndEarly) {
  expect_refused(std::string(5'000'000, '['), "nested more than");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  expect_refused(objects, "nested more than");
  expect_refused(R"({"cache": )" + std::string(15, '[') + std::string(15, ']') + "}", "missing");
  ReadLimits few;
  few.values = 1000;
  std::string many = "[0";
  for (int i = 0; i < 2000; ++i) many += ",0";
  EXPECT_NE(refusal(many + "]", few).find("1000 values"), std::string::npos);
}

TEST_F(HostileTest, AFewBytesThatUnpackToMuchEndEarly) {
  const auto path = folder / "bomb.json.gz";
  gzFile file = gzopen(path.c_str(), "wb9");
  const std::string blanks(1 << 20, ' ');
  for (int i = 0; i < 24; ++i) gzwrite(file, blanks.data(), static_cast<unsigned>(blanks.size()));
  gzclose(file);
  ReadLimits limits;
  limits.bytes = 4 << 20;
  try {
    static_cast<void>(read_recordings(path, limits));
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 4194304 bytes"), std::string::npos) << error.what();
  }
}

TEST_F(HostileTest, NumbersThatAreNone) {
  for (const char* time : {"NaN", "Infinity", "-Infinity", "1e999", "-1.0", "null", "true", "[1.0]", "{}",
                           "\"abc\"", "1e99999999999999999999"}) {
    expect_entry_refused(std::string("\"time\": ") + time, "");
  }
  expect_entry_refused(R"("time": 1.0, "times": [1.0, -2.0])", "'times'");
  expect_entry_refused(R"("time": 1.0, "times": 7)", "not a list");
  expect_entry_refused(R"("time": 1.0, "times": ["1"])", "'times'");
  expect_entry_refused(R"("times": [1.0])", "'time' is missing");
  expect_entry_refused(R"("time": 1.0, "registers": 1e30)", "'registers'");
  expect_entry_refused(R"("time": 1.0, "registers": 5000000000)", "'registers'");
  expect_entry_refused(R"("time": 1.0, "launches": -1)", "'launches'");
  expect_entry_refused(R"("time": 1.0, "finalist": 2)", "'finalist'");
  expect_entry_refused(R"("time": 1.0, "message": {"a": 1})", "'message'");
}

TEST_F(HostileTest, EntriesThatContradictThemselves) {
  const std::string good = cache_of(entry_of(32, 4, R"("time": 1.0)"));
  ASSERT_EQ(read(good).size(), 1u);
  expect_refused(replaced(good, "\"32,4\"", "\"32,8\""), "entry '32,8'");
  expect_refused(replaced(good, "\"block_size_x\": 32", "\"block_size_x\": 32.5"), "not an integer");
  expect_refused(replaced(good, "\"block_size_x\": 32", "\"block_size_x\": 99999999999999999999"),
                 "not an integer");
  expect_refused(replaced(good, "\"block_size_x\": 32", "\"other\": 32"), "'block_size_x' is missing");
  expect_refused(replaced(good, "\"block_size_x\": 32", "\"block_size_x\": 32, \"block_size_x\": 64"),
                 "twice");
  expect_refused(replaced(good, "2026-11-21 12", "2026-13-21 12"), "not a time of day");
  expect_refused(replaced(good, "2026-11-21 12", "yesterday at"), "not a time of day");
  expect_entry_refused(R"("time": 1.0, "status": "compile_failed")", "at once");
  expect_entry_refused(R"("time": "InvalidConfig", "status": "ok")", "at once");
  expect_entry_refused(R"("time": 1.0, "status": "excellent")", "status");
  const std::string line = entry_of(32, 4, R"("time": 1.0)");
  expect_refused(cache_of(line + "," + line), "twice");
}

TEST_F(HostileTest, TextsThatWouldDriveATerminal) {
  expect_entry_refused(R"("time": 1.0, "message": "\u001b]0;owned\u0007")", "control characters");
  expect_entry_refused(R"("time": 1.0, "message": "\u009b31m")", "control characters");
  expect_entry_refused(R"("time": 1.0, "a\u0000b": 1)", "control characters");
  const std::string good = cache_of(entry_of(32, 4, R"("time": 1.0, "message": "two\nlines, \u00e9")"));
  EXPECT_EQ(read(good)[0].trials[0].message, "two\nlines, \xc3\xa9");
}

TEST_F(HostileTest, HeadersOfOthers) {
  const std::string good = cache_of(entry_of(32, 4, R"("time": 1.0)"));
  expect_refused(replaced(good, "bitune_warp_u32_ascending", "vector_add"), "not a kernel of bitune");
  expect_refused(replaced(good, "bitune_warp_u32_ascending", "bitune_quick_u32_ascending"), "not a kernel");
  expect_refused(replaced(good, "1024", "\"callable\""), "problem size");
  expect_refused(replaced(good, "1024", "-5"), "problem size");
  expect_refused(replaced(good, "1024", "[1024, 0]"), "problem size");
  expect_refused(replaced(good, "1024", "[4611686018427387904, 4]"), "problem size");
  expect_refused(replaced(good, "1024", "[1, 2, 3]"), "problem size");
  expect_refused(replaced(good, "\"items_per_thread\"\n", "\"block_size_x\"\n"), "twice");
  expect_refused(replaced(good, "\"items_per_thread\"\n", "7\n"), "not a text");
  expect_refused(replaced(good, "\"items_per_thread\"\n", "\"a b\"\n"), "a b");
  expect_refused(replaced(good, "\"objective\"", "\"bitune\": {\"version\": 2}, \"objective\""), "version 2");
  expect_refused(replaced(good, "\"objective\"", "\"bitune\": 7, \"objective\""), "not an object");
  expect_refused(replaced(good, "\"cache\": {", "\"cache\": [{"), "not JSON");
}

// Every beginning of a good file, and every good file with one byte changed, is read whole or refused in a
// sentence.
TEST_F(HostileTest, TruncatedAndAlteredFiles) {
  const std::string good = cache_of(entry_of(32, 4, R"("time": 1.0, "times": [1.0, 2.5])") + "," +
                                    entry_of(64, 8, R"("time": "RuntimeFailedConfig")"));
  std::size_t taken = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      taken += read(text).size();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input) << error.what();
    }
  };
  for (std::size_t size = 0; size < good.size(); size += 3) attempt(good.substr(0, size));
  EXPECT_LE(taken, 10u) << "only an end that an open cache may have";
  for (std::size_t at = 0; at < good.size(); at += 11) {
    for (const char c : {'\0', '"', '{', '}', ']', ',', '9', '-', '\x80'}) {
      std::string text = good;
      text[at] = c;
      attempt(text);
    }
  }
}

}  // namespace
}  // namespace bitune::test
