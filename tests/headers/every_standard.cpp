/// \file
/// Compiled by every compiler that is there, as C++17 and C++20, and by nvcc; never linked. It includes the
/// public headers as another project does, and uses what must work in each.

#include <bitune/bitune.h>

#include <bitune/bitune.hpp>
#include <bitune/log.hpp>
#include <bitune/multi.hpp>
#include <vector>

namespace {

constexpr bitune::Problem problem_of(std::uint64_t n) {
  bitune::Problem problem;
  problem.key = bitune::KeyType::f32;
  problem.n = n;
  return problem;
}

static_assert(bitune::key_type_of<float>() == bitune::KeyType::f32, "key types follow from types");

}  // namespace

bool compares(const bitune::Problem& a, const bitune::Problem& b) {
  return a == b && !(a != b) && static_cast<const bitune::SortSpec&>(a) == bitune::SortSpec{} &&
         static_cast<const bitune::Shape&>(a) != bitune::Shape{};
}

std::string sorts(std::vector<float>& keys) {
  bitune::set_log([](const std::string&) {});
  bitune::Sorter sorter;
  bitune::Operands operands;
  operands[bitune::Role::keys_out] = {keys.data(), keys.size(), 0};
  if (operands[bitune::Role::keys_in] != bitune::Operand{}) return {};
  try {
    sorter.run_host(problem_of(keys.size()), operands);
    sorter.sort_host(keys.data(), keys.size(), bitune::key_type_of<float>());
#if __cplusplus >= 202002L
    sorter.sort(std::span<float>(keys));
    static_assert(problem_of(3) < problem_of(4));
#endif
  } catch (const bitune::Error& error) {
    return error.what();
  }
  return sorter.explain(problem_of(keys.size())).reason;
}

bitune_status sorts(bitune_sorter* sorter, float* keys, std::uint64_t n) {
  bitune_problem problem = BITUNE_PROBLEM_INIT;
  problem.key = BITUNE_KEY_F32;
  problem.n = n;
  bitune_operands operands = BITUNE_OPERANDS_INIT;
  operands.keys_out = {keys, n, 0};
  return bitune_run_host(sorter, &problem, &operands, nullptr);
}
