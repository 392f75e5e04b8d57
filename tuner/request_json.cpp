#include "tuner/request_json.hpp"

#include <nlohmann/json.hpp>

#include "measure/json_fields.hpp"

namespace bitune {

using json_fields::get;
using json_fields::member;

Json json_of(const EvaluationRequest& request) {
  return {{"problem", json_of(request.problem)},
          {"configuration", json_of(request.configuration)},
          {"protocol", json_of(request.protocol)},
          {"verify", request.verify},
          {"abandon_above_us", request.abandon_above_us}};
}

EvaluationRequest request_from(const Json& json) {
  EvaluationRequest request;
  request.problem = problem_from(member(json, "problem"));
  request.configuration = configuration_from(member(json, "configuration"));
  request.protocol = protocol_from(member(json, "protocol"));
  request.verify = get<bool>(json, "verify");
  request.abandon_above_us = get<double>(json, "abandon_above_us");
  return request;
}

}  // namespace bitune
