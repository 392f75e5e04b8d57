// Options that say what is done to keys.

#include "cli/operations.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

constexpr KeyType u32[] = {KeyType::u32};

std::vector<std::string> words_of(const OperationOptions& options, std::span<const KeyType> keys = u32) {
  std::vector<std::string> words;
  for (const SortSpec& spec : sort_specs_of(options, keys, Order::ascending)) words.push_back(word_of(spec));
  return words;
}

std::string refusal_of(const OperationOptions& options) {
  try {
    static_cast<void>(sort_specs_of(options, u32, Order::ascending));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

using Words = std::vector<std::string>;

TEST(Operations, KeysAloneUnlessMoreIsAsked) { EXPECT_EQ(words_of({}), Words{"sort_u32_ascending"}); }

TEST(Operations, EachWithTheWidthsThatItHas) {
  EXPECT_EQ(
      words_of({.operations = {"all"}}),
      (Words{"sort_u32_ascending", "sort_pairs_u32_v4_stable_ascending", "argsort_u32_i4_stable_ascending"}));
  EXPECT_EQ(
      words_of({.operations = {"sort_pairs", "argsort"},
                .value_bytes = {"1", "16"},
                .index_bytes = {"8"},
                .stable = false}),
      (Words{"sort_pairs_u32_v1_ascending", "sort_pairs_u32_v16_ascending", "argsort_u32_i8_ascending"}));
}

TEST(Operations, TopKWithEachKAndWhatIsAskedFor) {
  const auto specs_of = [](const OperationOptions& options) {
    return sort_specs_of(options, u32, Order::descending);
  };
  const SortSpec usual{.operation = Operation::top_k, .index_bytes = 4, .order = Order::descending, .k = 64};
  EXPECT_EQ(specs_of({.operations = {"top_k"}}), std::vector{usual});
  SortSpec one = usual;
  one.k = 1;
  SortSpec thousand = usual;
  thousand.k = 1024;
  EXPECT_EQ(specs_of({.operations = {"top_k"}, .k = {"1", "2^10", "1"}}), (std::vector{one, thousand}));
  SortSpec with_values = usual;
  with_values.index_bytes = 0;
  with_values.value_bytes = 8;
  EXPECT_EQ(specs_of({.operations = {"top_k"}, .value_bytes = {"8"}}), std::vector{with_values});
  EXPECT_EQ(specs_of({.operations = {"top_k"}, .value_bytes = {"8"}, .index_bytes = {"4"}}),
            (std::vector{with_values, usual}));
  SortSpec alone = usual;
  alone.index_bytes = 0;
  EXPECT_EQ(specs_of({.operations = {"top_k"}, .index_bytes = {"0"}}), std::vector{alone});
}

TEST(Operations, OfEachKeyType) {
  const KeyType keys[] = {KeyType::f32, KeyType::u64};
  EXPECT_EQ(words_of({.operations = {"sort", "argsort"}}, keys),
            (Words{"sort_f32_ascending", "argsort_f32_i4_stable_ascending", "sort_u64_ascending",
                   "argsort_u64_i4_stable_ascending"}));
}

TEST(Operations, EachMeaningOnce) {
  EXPECT_EQ(words_of({.operations = {"sort", "all", "sort"}, .value_bytes = {"4", "4"}}).size(), 3u);
  const KeyType twice[] = {KeyType::u32, KeyType::u32};
  EXPECT_EQ(words_of({.stable = false}, twice), Words{"sort_u32_ascending"});
}

TEST(Operations, WhatIsNoneIsRefused) {
  EXPECT_NE(refusal_of({.operations = {"sort_paris"}}).find("'sort_paris' is no operation"),
            std::string::npos);
  EXPECT_EQ(refusal_of({.operations = {"sort_pairs"}, .value_bytes = {"3"}}),
            "a value has 1, 2, 4, 8 or 16 bytes, not '3'");
  EXPECT_EQ(refusal_of({.operations = {"argsort"}, .index_bytes = {"16"}}),
            "an index has 4 or 8 bytes, not '16'");
}

TEST(Operations, WidthsOfWhatIsNotDoneAreRefused) {
  EXPECT_EQ(refusal_of({.value_bytes = {"4"}}),
            "--value-bytes is for sort_pairs and top_k: name that with --operation, too");
  EXPECT_EQ(refusal_of({.operations = {"sort_pairs"}, .index_bytes = {"4"}}),
            "--index-bytes is for argsort and top_k: name that with --operation, too");
  EXPECT_EQ(refusal_of({.k = {"5"}}), "--k is for top_k: name that with --operation, too");
  EXPECT_EQ(refusal_of({.operations = {"argsort"}, .index_bytes = {"0"}}),
            "indices of 0 bytes (none) are for top_k alone");
}

TEST(Operations, ATableSaysWhatIsNoSortOfKeys) {
  EXPECT_EQ(operation_text({}), "sort");
  EXPECT_EQ(operation_text({.stable = true}), "sort");
  EXPECT_EQ(operation_text({.operation = Operation::sort_pairs, .value_bytes = 8, .stable = true}),
            "sort_pairs 8 B");
  EXPECT_EQ(operation_text({.operation = Operation::argsort, .index_bytes = 4}), "argsort 4 B unstable");
  EXPECT_EQ(operation_text({.index_bytes = 4, .stable = true}), "sort with indices of 4 B");
  EXPECT_EQ(operation_text({.operation = Operation::top_k, .index_bytes = 4, .k = 100}),
            "top_k 100 with indices of 4 B");
  EXPECT_EQ(operation_text({.operation = Operation::top_k, .value_bytes = 8, .k = 1024}),
            "top_k 2^10 with values of 8 B");
  EXPECT_EQ(operation_text({.operation = Operation::top_k, .k = 7}), "top_k 7");
}

}  // namespace
}  // namespace bitune::cli
