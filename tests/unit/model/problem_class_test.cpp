#include "model/problem_class.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/fields.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

TEST(ProblemClass, ArraysAndRowsKeepTheirSizes) {
  for (const std::uint64_t n : {0u, 1u, 1000u, 1025u}) {
    for (const std::uint64_t rows : {0u, 1u, 7u}) {
      const Problem problem{{.key = KeyType::f32}, {.n = n, .rows = rows}};
      EXPECT_EQ(class_of(problem).problem(), problem);
    }
  }
}

TEST(ProblemClass, SegmentsGoByOctavesOfNumberAndMeanLength) {
  const auto of = [](std::uint64_t keys, std::uint64_t segments) {
    return class_of(Problem{{}, {.n = keys, .rows = segments, .ragged = true}});
  };
  EXPECT_EQ(of(100'000, 1000), of(120'000, 1024)) << "means of 100 and 117";
  EXPECT_NE(of(100'000, 1000), of(130'000, 1000)) << "means of 100 and 130";
  EXPECT_NE(of(100'000, 1000), of(200'000, 2000));
  EXPECT_EQ(of(100'000, 1000).problem().n, 1024u * 128);
  EXPECT_NE(of(1000, 1), class_of(Problem{{}, {.n = 1000}})) << "one segment is no array";
  EXPECT_EQ(of(0, 0).problem().rows, 1u);
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(of(most, 1).problem().n, std::uint64_t{1} << 63);
  EXPECT_EQ(of(most, most).problem().rows, std::uint64_t{1} << 63);
}

TEST(ProblemClass, TheClassOfAClassIsThatClass) {
  for (const std::uint64_t keys : {0u, 1u, 5u, 1000u, 123'456u}) {
    for (const std::uint64_t segments : {0u, 1u, 3u, 100u, 4096u}) {
      const ProblemClass first =
          class_of(Problem{{.k = keys / 2}, {.n = keys, .rows = segments, .ragged = true}});
      EXPECT_EQ(class_of(first.problem()), first) << keys << " " << segments;
    }
  }
}

TEST(ProblemClass, KGoesByOctaves) {
  const auto of = [](std::uint64_t k) {
    return class_of(Problem{{.operation = Operation::top_k, .k = k}, {.n = 10000}});
  };
  EXPECT_EQ(of(100), of(128));
  EXPECT_NE(of(100), of(129));
  EXPECT_EQ(of(9000), of(10000)) << "no class has a k above the row length";
  EXPECT_EQ(of(9000).problem().k, 10000u);
}

TEST(ProblemClass, ATopKIsStableAnyway) {
  Problem problem{{.operation = Operation::top_k, .index_bytes = 4, .k = 5}, {.n = 100}};
  Problem stable = problem;
  stable.stable = true;
  EXPECT_EQ(class_of(problem), class_of(stable));
  EXPECT_TRUE(may_serve(problem, stable));
}

TEST(ProblemClass, KIsWorkByOctaves) {
  const auto of = [](std::uint64_t k) {
    return Problem{{.operation = Operation::top_k, .index_bytes = 4, .k = k}, {.n = 10000}};
  };
  EXPECT_EQ(work_distance(of(50), of(64)), 0);
  EXPECT_EQ(work_distance(of(64), of(512)), 3);
}

TEST(ProblemClass, KeysAloneAreStableAnyway) {
  const Problem keys{{.stable = true}, {.n = 100}};
  EXPECT_FALSE(class_of(keys).problem().stable);
  const Problem pairs{{.operation = Operation::sort_pairs, .value_bytes = 4, .stable = true}, {.n = 100}};
  EXPECT_TRUE(class_of(pairs).problem().stable);
}

constexpr Problem pairs_of(std::uint32_t value_bytes, bool stable) {
  return {{.operation = Operation::sort_pairs, .value_bytes = value_bytes, .stable = stable}, {.n = 100}};
}
constexpr Problem argsort_of(std::uint32_t index_bytes) {
  return {{.operation = Operation::argsort, .index_bytes = index_bytes, .stable = true}, {.n = 100}};
}

TEST(ProblemClass, ServesWhatIsOfItsKeysAndShape) {
  const Problem keys{{.key = KeyType::u32}, {.n = 100}};
  EXPECT_TRUE(may_serve(keys, Problem{{.key = KeyType::f32}, {.n = 5000}}));
  EXPECT_FALSE(may_serve(keys, Problem{{.key = KeyType::u64}, {.n = 100}}));
  EXPECT_FALSE(may_serve(keys, Problem{{}, {.n = 100, .rows = 2}}));
  EXPECT_FALSE(may_serve(keys, Problem{{}, {.n = 100, .ragged = true}}));
}

TEST(ProblemClass, KeysAloneAndWhatTravelsWithThemDoNotServeEachOther) {
  const Problem keys{{}, {.n = 100}};
  EXPECT_FALSE(may_serve(keys, pairs_of(4, false)));
  EXPECT_FALSE(may_serve(argsort_of(4), keys));
  EXPECT_TRUE(may_serve(argsort_of(4), pairs_of(8, true)));
  EXPECT_TRUE(may_serve(pairs_of(1, true), argsort_of(8)));
  EXPECT_TRUE(may_serve(pairs_of(4, true), Problem{{.index_bytes = 4, .stable = true}, {.n = 100}}));
  Problem top_k = argsort_of(4);
  top_k.operation = Operation::top_k;
  EXPECT_FALSE(may_serve(argsort_of(4), top_k));
}

TEST(ProblemClass, StableServesWhatNeedNotBeAndNotTheOtherWayRound) {
  EXPECT_TRUE(may_serve(pairs_of(4, true), pairs_of(4, false)));
  EXPECT_FALSE(may_serve(pairs_of(4, false), pairs_of(4, true)));
}

TEST(ProblemClass, WorkIsApartByWidthsAndByOperation) {
  EXPECT_EQ(work_distance(pairs_of(4, true), pairs_of(4, false)), 0);
  EXPECT_EQ(work_distance(Problem{{}, {.n = 1}}, Problem{{}, {.n = 1000}}), 0);
  EXPECT_EQ(work_distance(pairs_of(1, true), pairs_of(16, true)), 4);
  EXPECT_EQ(work_distance(pairs_of(4, true), argsort_of(4)), 1);
  EXPECT_EQ(work_distance(argsort_of(4), pairs_of(8, true)), 2);
}

TEST(Fields, EveryFieldOfAProblemCounts) {
  // Each field in turn gets another value: comparison, hash and text tell it apart.
  const Problem usual{{}, {.n = 10}};
  std::set<std::string> texts = {text_of(usual)};
  std::set<std::uint64_t> hashes = {hash_of_fields(usual)};
  std::size_t fields = 0;
  Problem::visit_fields([&](std::string_view name, auto member, FieldAge) {
    Problem other = usual;
    using Field = std::decay_t<decltype(other.*member)>;
    other.*member = static_cast<Field>(static_cast<int>(other.*member) + 1);
    EXPECT_NE(other, usual) << name;
    EXPECT_TRUE(texts.insert(text_of(other)).second) << name;
    EXPECT_TRUE(hashes.insert(hash_of_fields(other)).second) << name;
    ++fields;
  });
  EXPECT_EQ(fields, field_names<Problem>().size());
  EXPECT_GE(fields, 10u);
}

}  // namespace
}  // namespace bitune
