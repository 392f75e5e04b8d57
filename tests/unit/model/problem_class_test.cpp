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
}

TEST(ProblemClass, KeysAloneAreStableAnyway) {
  const Problem keys{{.stable = true}, {.n = 100}};
  EXPECT_FALSE(class_of(keys).problem().stable);
  const Problem pairs{{.operation = Operation::sort_pairs, .value_bytes = 4, .stable = true}, {.n = 100}};
  EXPECT_TRUE(class_of(pairs).problem().stable);
}

TEST(ProblemClass, ServesWhatIsOfItsWidthsAndShape) {
  const Problem keys{{.key = KeyType::u32}, {.n = 100}};
  EXPECT_TRUE(may_serve(keys, Problem{{.key = KeyType::f32}, {.n = 5000}}));
  EXPECT_FALSE(may_serve(keys, Problem{{.key = KeyType::u64}, {.n = 100}}));
  EXPECT_FALSE(may_serve(keys, Problem{{}, {.n = 100, .rows = 2}}));
  EXPECT_FALSE(may_serve(keys, Problem{{}, {.n = 100, .ragged = true}}));
  EXPECT_FALSE(may_serve(keys, Problem{{.operation = Operation::argsort, .index_bytes = 4}, {.n = 100}}));

  Problem stable{{.operation = Operation::sort_pairs, .value_bytes = 4, .stable = true}, {.n = 100}};
  Problem any = stable;
  any.stable = false;
  EXPECT_TRUE(may_serve(stable, any));
  EXPECT_FALSE(may_serve(any, stable));
  any.value_bytes = 8;
  EXPECT_FALSE(may_serve(stable, any));
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
