#include "measure/call_image.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "measure/inputs.hpp"
#include "measure/problem_data.hpp"
#include "measure/reference_call.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tests/unit/measure/host_call.hpp"

namespace bitune {
namespace {

constexpr Problem rows_of_pairs{
    {.operation = Operation::sort_pairs, .key = KeyType::u16, .value_bytes = 16, .stable = true},
    {.n = 5, .rows = 3}};
constexpr Problem keys_with_indices{
    {.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 8, .stable = true}, {.n = 100}};

TEST(CallLayout, WhatIsReadComesFirst) {
  const CallLayout layout(rows_of_pairs);
  ASSERT_EQ(layout.parts().size(), 2u);
  EXPECT_EQ(layout.parts()[0].array.in, Role::keys_in);
  EXPECT_EQ(layout.parts()[1].array.out, Role::values_out);
  EXPECT_EQ(layout.input_bytes(), layout.bytes()) << "both are read";
  const CallLayout of_indices(keys_with_indices);
  ASSERT_EQ(of_indices.parts().size(), 2u);
  EXPECT_EQ(of_indices.parts()[0].array.out, std::nullopt) << "an argsort writes no keys";
  EXPECT_EQ(of_indices.parts()[1].array.in, std::nullopt);
  EXPECT_EQ(of_indices.input_bytes(), of_indices.parts()[1].begin);
  EXPECT_LT(of_indices.input_bytes(), of_indices.bytes());
}

TEST(CallLayout, ArraysAreAlignedAndApartWithRoomForAnElement) {
  for (const RowGaps gaps : {RowGaps::none, RowGaps::odd}) {
    const CallLayout layout(rows_of_pairs, gaps);
    std::uint64_t end = 0;
    for (const CallLayout::Part& part : layout.parts()) {
      EXPECT_EQ(part.begin % CallLayout::alignment, 0u);
      EXPECT_GE(part.begin, end);
      end = part.begin + part.layout.bytes() + part.array.element_bytes;
    }
    EXPECT_GE(layout.bytes(), end);
  }
}

TEST(CallLayout, EachArrayHasGapsOfItsOwn) {
  const CallLayout layout(rows_of_pairs, RowGaps::odd);
  EXPECT_EQ(layout.parts()[0].layout.rows.row_stride, 7u);
  EXPECT_EQ(layout.parts()[1].layout.rows.row_stride, 9u);
  EXPECT_EQ(CallLayout(keys_with_indices, RowGaps::odd).bytes(), CallLayout(keys_with_indices).bytes())
      << "a single array has none";
}

/// The image of a right result, and of its input.
struct Images {
  explicit Images(const Problem& problem) : Images(problem, CallLayout(problem), {}) {}
  Images(const Problem& problem, CallLayout given, const Segments& segments)
      : layout(std::move(given)),
        before(layout.input_bytes(), std::byte{GuardedLayout::guard_value}),
        after(layout.bytes(), std::byte{GuardedLayout::guard_value}) {
    Operands operands;
    for (const CallLayout::Part& part : layout.parts()) {
      if (part.array.in == Role::keys_in)
        fill_keys(CallLayout::rows(before, part), problem.key, Distribution::special, 3);
      if (part.array.in == Role::values_in) fill_values(CallLayout::rows(before, part), 3);
      if (part.array.in == Role::offsets || part.array.in == Role::ends) {
        CallLayout::write_bounds(before, part, segments);
      } else if (problem.ragged && part.array.in) {
        guard_gaps(std::span(before).subspan(part.begin), part.layout);
      }
      if (part.array.in) operands[*part.array.in] = CallLayout::operand(part, before.data());
      if (part.array.out) {
        operands[*part.array.out] = CallLayout::operand(part, after.data());
      } else {
        std::memcpy(after.data() + part.begin, before.data() + part.begin, part.layout.bytes());
      }
    }
    reference_call(problem, operands);
  }

  CallLayout layout;
  std::vector<std::byte> before;
  std::vector<std::byte> after;
};

void expect_every_spoiled_byte_is_found(const Problem& problem, const Images& right) {
  ASSERT_EQ(find_fault_of_call(problem, right.layout, right.before, right.after), std::nullopt)
      << text_of(problem);
  for (const CallLayout::Part& part : right.layout.parts()) {
    for (std::uint64_t i = 0; i < part.layout.bytes(); ++i) {
      std::vector<std::byte> spoiled = right.after;
      spoiled[part.begin + i] ^= std::byte{0x40};
      ASSERT_NE(find_fault_of_call(problem, right.layout, right.before, spoiled), std::nullopt)
          << text_of(problem) << ": byte " << i << " of the array at " << part.begin;
    }
  }
}

TEST(CallImage, EveryByteThatIsSpoiledIsFound) {
  for (const Problem& problem : {rows_of_pairs, keys_with_indices}) {
    expect_every_spoiled_byte_is_found(problem, Images(problem));
  }
}

TEST(CallImage, EveryByteThatIsSpoiledIsFoundInSegments) {
  const Shape shape{.n = 34, .rows = 6, .ragged = true};
  const Segments packed = packed_segments({3, 0, 17, 1, 2, 11});
  const Segments with_gaps = segments_with_gaps(packed);
  for (const SortSpec& spec :
       {SortSpec{.key = KeyType::u16},
        SortSpec{.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4, .stable = true},
        SortSpec{.operation = Operation::argsort, .key = KeyType::u64, .index_bytes = 8, .stable = true},
        SortSpec{.operation = Operation::top_k, .key = KeyType::i16, .value_bytes = 2, .k = 5}}) {
    const Problem problem{spec, shape};
    const Segments& segments = problem.operation == Operation::sort_pairs ? packed : with_gaps;
    expect_every_spoiled_byte_is_found(problem, Images(problem, CallLayout(problem, segments), segments));
  }
}

TEST(CallImage, SaysWhichSegmentIsWrong) {
  const Problem problem{{.key = KeyType::u32}, {.n = 10, .rows = 3, .ragged = true}};
  const Segments segments = segments_with_gaps(packed_segments({4, 0, 6}));
  const Images right(problem, CallLayout(problem, segments), segments);
  std::vector<std::byte> spoiled = right.after;
  spoiled.at(GuardedLayout::guard_bytes + 3 * 4) ^= std::byte{1};  // behind the three keys of segment 0
  EXPECT_EQ(find_fault_of_call(problem, right.layout, right.before, spoiled),
            "keys: wrote between segments, behind segment 0");
  spoiled = right.after;
  spoiled.at(GuardedLayout::guard_bytes + 4 * 4) ^= std::byte{1};
  EXPECT_EQ(find_fault_of_call(problem, right.layout, right.before, spoiled)->substr(0, 22),
            "segment 2, place 0: ke");
  spoiled = right.after;
  spoiled.at(right.layout.parts()[1].begin + GuardedLayout::guard_bytes) ^= std::byte{1};
  EXPECT_EQ(find_fault_of_call(problem, right.layout, right.before, spoiled), "wrote to its input");
}

TEST(CallImage, SaysWhichArrayIsWrong) {
  const Images right(keys_with_indices);
  std::vector<std::byte> spoiled = right.after;
  spoiled.at(GuardedLayout::guard_bytes) ^= std::byte{1};
  EXPECT_EQ(find_fault_of_call(keys_with_indices, right.layout, right.before, spoiled), "wrote to its input");
  spoiled = right.after;
  spoiled.at(right.layout.parts()[1].begin) ^= std::byte{1};
  EXPECT_EQ(find_fault_of_call(keys_with_indices, right.layout, right.before, spoiled),
            "indices: wrote outside the array, before it");
}

TEST(ReferenceCall, SortsSegmentsWhereverTheyLie) {
  for (const SortSpec& spec : {SortSpec{.operation = Operation::sort_pairs, .value_bytes = 8},
                               SortSpec{.operation = Operation::argsort, .index_bytes = 4},
                               SortSpec{.operation = Operation::top_k, .index_bytes = 4, .k = 20},
                               SortSpec{.operation = Operation::sort}}) {
    Problem problem{spec, {.n = 90, .rows = 4, .ragged = true}};
    problem.key = KeyType::f32;
    problem.stable = problem.operation != Operation::sort;
    test::HostCall call(problem, {.offsets = {60, 2, 2, 51}, .ends = {85, 2, 50, 52}, .lengths = {}},
                        Distribution::special);
    const auto keys = call.keys_out;
    const auto values = call.values_out;
    const auto indices = call.indices_out;
    call.with_keys_out = problem.operation != Operation::argsort;
    for (auto* out : {&call.keys_out, &call.values_out, &call.indices_out})
      std::fill(out->begin(), out->end(), std::byte{0xA5});
    reference_call(problem, call.operands());
    if (call.with_keys_out) EXPECT_EQ(call.keys_out, keys) << text_of(problem);
    EXPECT_EQ(call.values_out, values) << text_of(problem);
    EXPECT_EQ(call.indices_out, indices) << text_of(problem);
  }
}

/// By another way: std::stable_sort, in tests/unit/measure/host_call.cpp.
TEST(ReferenceCall, IsWhatAStableSortComesTo) {
  for (const KeyType key : all_key_types) {
    for (const Order order : {Order::ascending, Order::descending}) {
      for (const SortSpec& spec : {SortSpec{.operation = Operation::sort_pairs, .value_bytes = 8},
                                   SortSpec{.operation = Operation::argsort, .index_bytes = 4},
                                   SortSpec{.operation = Operation::sort, .index_bytes = 8},
                                   SortSpec{.operation = Operation::sort}}) {
        Problem problem{spec, {.n = 400, .rows = 2}};
        problem.key = key;
        problem.order = order;
        problem.stable = true;
        test::HostCall call(problem, {}, Distribution::special);
        const auto keys = call.keys_out;
        const auto values = call.values_out;
        const auto indices = call.indices_out;
        call.with_keys_out = problem.operation != Operation::argsort;
        for (auto* out : {&call.keys_out, &call.values_out, &call.indices_out})
          std::fill(out->begin(), out->end(), std::byte{0});
        reference_call(problem, call.operands());
        if (call.with_keys_out) EXPECT_EQ(call.keys_out, keys) << text_of(problem);
        EXPECT_EQ(call.values_out, values) << text_of(problem);
        EXPECT_EQ(call.indices_out, indices) << text_of(problem);
      }
    }
  }
}

TEST(VerifiedDistributions, CountWhatTravels) {
  const Problem keys{{}, {.n = std::uint64_t{1} << 24}};
  Problem wide = keys;
  wide.operation = Operation::sort_pairs;
  wide.value_bytes = 16;
  const std::int64_t memory = std::int64_t{1200} << 20;
  EXPECT_EQ(verified_distributions(keys, CallLayouts::of(keys), memory).size(), 4u);
  EXPECT_EQ(verified_distributions(wide, CallLayouts::of(wide), memory).size(), 1u);
}

TEST(FillValues, AreNotTheKeysAndDifferByTheirSeed) {
  std::vector<std::byte> values(803);
  std::vector<std::byte> others(803);
  fill_values(values, 1);
  fill_values(others, 2);
  EXPECT_NE(values, others);
  EXPECT_NE(values.back(), std::byte{0}) << "bytes that make no whole word are filled, too";
  others.resize(800);
  fill_keys(others, KeyType::u64, Distribution::random, 1);
  EXPECT_NE(std::memcmp(values.data(), others.data(), 800), 0);
}

}  // namespace
}  // namespace bitune
