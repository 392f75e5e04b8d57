#pragma once

/// \file
/// Calls of a sort engine as tests write them.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "bitune/error.hpp"
#include "model/problem_operands.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune::testing_support {

/// Sorts keys that lie one behind the other, in place.
inline void sort_keys(SortEngine& engine, void* keys, const Problem& problem) {
  engine.run(problem, packed_operands(problem, keys), nullptr);
}

/// The code of the error that a call throws; its sentence, if asked for.
inline ErrorCode code_of(const std::function<void()>& call, std::string* sentence = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (sentence != nullptr) *sentence = error.what();
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::cancelled;
}

/// Where rows lie: `input` is null where they are sorted in place.
struct RowsAt {
  void* keys = nullptr;
  const void* input = nullptr;
  std::uint64_t stride = 0;

  [[nodiscard]] Operands operands() const {
    constexpr std::uint64_t enough = ~std::uint64_t{0};
    Operands all;
    all[Role::keys_out] = {keys, enough, stride};
    if (input != nullptr) all[Role::keys_in] = {const_cast<void*>(input), enough, stride};
    return all;
  }
};

inline void sort_rows(SortEngine& engine, const RowsAt& rows, const Problem& problem) {
  engine.run(problem, rows.operands(), nullptr);
}

}  // namespace bitune::testing_support
