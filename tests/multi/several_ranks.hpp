#pragma once

/// \file
/// A call over several emulated ranks with its data, and the oracle's word on what came of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bitune/multi.hpp"
#include "measure/inputs.hpp"
#include "measure/oracle.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune::test {

/// Memory that one rank gives and gets. Of exactly these sizes, so that the sanitizer sees what is beyond.
struct RankMemory {
  std::vector<std::byte> keys_in;
  std::vector<std::byte> values_in;
  std::vector<std::byte> keys_out;
  std::vector<std::byte> values_out;
  std::vector<std::byte> indices_out;
};

/// A call of these lengths. `results`: keys that each rank asks for, or equal_part.
class RanksCall {
 public:
  RanksCall(const SortSpec& spec, std::vector<std::uint64_t> lengths, std::vector<std::uint64_t> results,
            Distribution distribution)
      : spec_(spec), lengths_(std::move(lengths)), results_(std::move(results)) {
    n_ = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
    keys_ = make_keys(spec.key, n_, distribution, 1);
    values_.resize(n_ * spec.value_bytes);
    fill_values(values_, 2);
    std::uint64_t first = 0;
    for (std::size_t rank = 0; rank < lengths_.size(); ++rank) {
      const std::uint64_t n = lengths_[rank];
      const std::uint64_t result = result_of(rank);
      RankMemory& memory = memory_.emplace_back();
      memory.keys_in = slice(keys_, first, n, size_of(spec.key));
      memory.values_in = slice(values_, first, n, spec.value_bytes);
      if (writes_keys(spec)) memory.keys_out.resize(result * size_of(spec.key));
      memory.values_out.resize(result * spec.value_bytes);
      memory.indices_out.resize(result * spec.index_bytes);
      first += n;
    }
  }

  [[nodiscard]] std::vector<MultiPart> parts() {
    std::vector<MultiPart> parts;
    for (std::size_t rank = 0; rank < lengths_.size(); ++rank) {
      RankMemory& memory = memory_[rank];
      MultiPart part;
      part.n = lengths_[rank];
      part.result = results_[rank];
      const std::uint64_t result = result_of(rank);
      part.operands[Role::keys_in] = {memory.keys_in.data(), part.n, 0};
      if (writes_keys(spec_)) part.operands[Role::keys_out] = {memory.keys_out.data(), result, 0};
      part.operands[Role::values_in] = {memory.values_in.data(), part.n, 0};
      part.operands[Role::values_out] = {memory.values_out.data(), result, 0};
      part.operands[Role::indices_out] = {memory.indices_out.data(), result, 0};
      parts.push_back(part);
    }
    return parts;
  }

  /// What is wrong with what was written; nothing if it is right.
  [[nodiscard]] std::optional<std::string> fault() {
    if (spec_.operation != Operation::top_k) return fault_of(joined());
    for (std::size_t rank = 0; rank < memory_.size(); ++rank) {  // each that asked has all of it
      if (result_of(rank) == 0) continue;
      if (auto fault = fault_of(memory_[rank])) return fault;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t result_of(std::size_t rank) const {
    if (results_[rank] != equal_part) return results_[rank];
    if (spec_.operation == Operation::top_k) return spec_.k;
    std::uint64_t left = n_;
    std::uint64_t sharing = 0;
    std::uint64_t part = 0;  // of this rank among those that share
    for (std::size_t other = 0; other < results_.size(); ++other) {
      if (results_[other] != equal_part) {
        left -= results_[other];
      } else if (++sharing; other < rank) {
        ++part;
      }
    }
    return left / sharing + (part < left % sharing ? 1 : 0);
  }

 private:
  static std::vector<std::byte> slice(const std::vector<std::byte>& from, std::uint64_t first,
                                      std::uint64_t n, std::size_t bytes) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first * bytes);
    return {begin, begin + static_cast<std::ptrdiff_t>(n * bytes)};
  }

  /// The parts of all ranks one behind the other.
  [[nodiscard]] RankMemory joined() const {
    RankMemory whole;
    const auto append = [](std::vector<std::byte>& to, const std::vector<std::byte>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    for (const RankMemory& one : memory_) {
      append(whole.keys_out, one.keys_out);
      append(whole.values_out, one.values_out);
      append(whole.indices_out, one.indices_out);
    }
    return whole;
  }

  [[nodiscard]] std::optional<std::string> fault_of(RankMemory result) {
    const Problem problem{spec_, {.n = n_}};
    const std::uint64_t count = spec_.operation == Operation::top_k ? spec_.k : n_;
    Operands whole;
    const auto add = [&](Role role, std::vector<std::byte>& bytes, std::uint64_t elements) {
      if (!bytes.empty()) whole[role] = {bytes.data(), elements, elements};
    };
    add(Role::keys_in, keys_, n_);
    add(Role::values_in, values_, n_);
    add(Role::keys_out, result.keys_out, count);
    add(Role::values_out, result.values_out, count);
    add(Role::indices_out, result.indices_out, count);
    auto fault = find_fault(problem, whole);
    if (fault) fault = text_of(problem) + ": " + *fault;
    return fault;
  }

  SortSpec spec_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::uint64_t> results_;
  std::uint64_t n_ = 0;
  std::vector<std::byte> keys_;
  std::vector<std::byte> values_;
  std::vector<RankMemory> memory_;
};

/// `is_copied`: what other ranks have is copied in chunks, however little it is, and not read where it lies.
inline MultiOptions emulated_ranks(std::size_t count, bool is_copied = false) {
  MultiOptions options;
  if (is_copied) options.copied_from_bytes = options.least_chunk_bytes = 1;
  options.devices.assign(count, "emulated");
  options.database = "no-such-folder/none.db";
  return options;
}

/// Keys are sent away before they are sorted, however few they are.
inline MultiOptions splitting_ranks(std::size_t count) {
  MultiOptions options = emulated_ranks(count, true);
  options.split_from_bytes = 1;
  return options;
}

/// Of two ranks, keys of four bytes cross the link as halves, however few they are.
inline MultiOptions halving_ranks() {
  MultiOptions options = emulated_ranks(2, true);
  options.halved_from_bytes = 1;
  return options;
}

using Numbers = std::vector<std::uint64_t>;

/// Makes a call of these lengths, and expects a right result. Returns what the ranks told.
inline std::vector<MultiResult> expect_right(MultiSorter& sorter, const SortSpec& spec,
                                             const Numbers& lengths, const Numbers& results,
                                             Distribution distribution) {
  RanksCall call(spec, lengths, results, distribution);
  auto told = sorter.run(spec, call.parts());
  EXPECT_EQ(call.fault().value_or(""), "") << lengths.size() << " ranks, " << name_of(distribution);
  std::uint64_t begin = 0;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    EXPECT_EQ(told[rank].count, call.result_of(rank));
    if (spec.operation == Operation::top_k) continue;
    EXPECT_EQ(told[rank].first, begin);
    begin += told[rank].count;
  }
  return told;
}

}  // namespace bitune::test
