#include "tuner/request_json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

namespace bitune {
namespace {

TEST(RequestJson, SurvivesALine) {
  EvaluationRequest request;
  request.problem = {{.key = KeyType::f32, .order = Order::descending}, {.n = 1000, .rows = 3}};
  request.configuration = {"warp", {{"block_size_x", 256}}};
  request.protocol = {
      .distribution = "special", .seed = ~std::uint64_t{0}, .cold_l2 = true, .min_samples = 2};
  request.verify = false;
  request.abandon_above_us = 12.5;
  const EvaluationRequest read = request_from(Json::parse(line_of(json_of(request))));
  EXPECT_EQ(read.problem, request.problem);
  EXPECT_EQ(read.configuration, request.configuration);
  EXPECT_EQ(read.protocol, request.protocol);
  EXPECT_EQ(read.verify, request.verify);
  EXPECT_EQ(read.abandon_above_us, request.abandon_above_us);
}

}  // namespace
}  // namespace bitune
