#include "model/configuration.hpp"

#include <gtest/gtest.h>

#include "bitune/error.hpp"

namespace bitune {
namespace {

TEST(Configuration, TextIsCanonicalAndReadBack) {
  const Configuration configuration{"warp", {{"items_per_thread", 16}, {"block_size_x", 256}}};
  EXPECT_EQ(configuration.text(), "warp(block_size_x=256,items_per_thread=16)");
  EXPECT_EQ(Configuration::parse(configuration.text()), configuration);
  EXPECT_EQ(Configuration::parse("warp(items_per_thread=16,block_size_x=256)"), configuration);

  const Configuration bare{"global", {}};
  EXPECT_EQ(bare.text(), "global()");
  EXPECT_EQ(Configuration::parse("global()"), bare);

  const Configuration extreme{"v", {{"a", INT64_MIN}, {"b", INT64_MAX}}};
  EXPECT_EQ(Configuration::parse(extreme.text()), extreme);
}

TEST(Configuration, AtNamesWhatIsMissing) {
  const Configuration configuration{"warp", {{"tile", 8}}};
  EXPECT_EQ(configuration.at("tile"), 8);
  try {
    static_cast<void>(configuration.at("unroll"));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("'warp'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("'unroll'"), std::string::npos);
  }
}

TEST(Configuration, WhatIsNoConfigurationIsRefused) {
  for (const char* text : {"",
                           "warp",
                           "(a=1)",
                           "warp(",
                           "warp)",
                           "warp(a)",
                           "warp(a=)",
                           "warp(=1)",
                           "warp(a=1",
                           "warp(a=1,)",
                           "warp(,a=1)",
                           "warp(a=1,a=2)",
                           "warp(a=1.5)",
                           "warp(a=x)",
                           "wa rp(a=1)",
                           "warp(a b=1)",
                           "warp(a=1) ",
                           "warp(a=99999999999999999999)",
                           "warp(a==1)",
                           "warp((a=1))",
                           "warp(,)",
                           "warp(a=+1)"}) {
    try {
      ADD_FAILURE() << "'" << text << "' was read as " << Configuration::parse(text).text();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    }
  }
}

// Databases keep what older versions wrote.
TEST(Configuration, LeavesOutParametersThatAreNoMoreWhereTheyHaveTheValueThatWasKept) {
  const char* const old = "multiway(block_size_x=128,cluster_size=1,cooperative=0,split_chain=1)";
  EXPECT_EQ(Configuration::parse(old).text(), "multiway(block_size_x=128)");
  EXPECT_EQ(Configuration::parse_as_written(old).text(), old);
  for (const char* text : {"multiway(block_size_x=128,cooperative=1)", "multiway(split_chain=4)",
                           "cluster(cluster_size=1)", "other(cooperative=0)"}) {
    EXPECT_EQ(Configuration::parse(text).text(), text)
        << "no space has such a point, or it is one of another variant";
  }
}

}  // namespace
}  // namespace bitune
