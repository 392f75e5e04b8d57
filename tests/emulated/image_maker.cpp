// Images that a device makes are those that the host makes, byte for byte; and a wrong order is seen.

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "measure/image_maker.hpp"
#include "measure/problem_data.hpp"
#include "model/problem.hpp"
#include "runtime/device.hpp"
#include "tests/support/emulated_bench.hpp"
#include "tests/support/sort_check.hpp"

namespace bitune::test {
namespace image_maker {
namespace {

std::vector<std::byte> on_host(const void* image, std::uint64_t bytes) {
  std::vector<std::byte> copy(bytes);
  emulated_bench().device->copy_to_host(copy.data(), image, bytes, nullptr);
  emulated_bench().device->synchronize(nullptr);
  return copy;
}

void expect_same_images(const Problem& problem) {
  SCOPED_TRACE(text_of(problem));
  const Device& device = *emulated_bench().device;
  ASSERT_TRUE(ImageMaker::can_make(problem));
  const ProblemData by_host(device, problem,
                            MeasuredInput{.distribution = Distribution::sawtooth, .seed = 3, .inputs = 2},
                            nullptr);
  const ProblemData by_device(device, problem,
                              MeasuredInput{.distribution = Distribution::sawtooth, .seed = 3, .inputs = 2},
                              nullptr, emulated_bench().kernels.get());
  const CallLayout& layout = by_host.layout();
  ASSERT_EQ(by_host.verified().size(), all_distributions.size());
  for (const Distribution distribution : by_host.verified()) {
    EXPECT_EQ(on_host(by_device.input(distribution), layout.input_bytes()),
              on_host(by_host.input(distribution), layout.input_bytes()))
        << name_of(distribution);
    EXPECT_EQ(on_host(by_device.expected(distribution), layout.bytes()),
              on_host(by_host.expected(distribution), layout.bytes()))
        << name_of(distribution);
  }
  ASSERT_EQ(by_device.has_gapped(), problem.rows > 1);
  if (!by_device.has_gapped()) return;
  const CallLayout& gapped = by_host.gapped_layout();
  EXPECT_EQ(on_host(by_device.gapped_input(), gapped.input_bytes()),
            on_host(by_host.gapped_input(), gapped.input_bytes()));
  EXPECT_EQ(on_host(by_device.gapped_expected(), gapped.bytes()),
            on_host(by_host.gapped_expected(), gapped.bytes()));
}

TEST(ImageMakerTest, PairsOfArrays) {
  expect_same_images(
      {{.operation = Operation::sort_pairs, .key = KeyType::i8, .value_bytes = 1, .stable = true},
       {.n = 1501}});
  expect_same_images({{.operation = Operation::sort_pairs,
                       .key = KeyType::f64,
                       .value_bytes = 16,
                       .order = Order::descending,
                       .stable = true},
                      {.n = 700}});
  expect_same_images({{.operation = Operation::sort_pairs, .key = KeyType::u32, .value_bytes = 2}, {.n = 1}});
}

TEST(ImageMakerTest, IndicesOfRows) {
  expect_same_images(
      {{.operation = Operation::argsort, .key = KeyType::f32, .index_bytes = 4, .stable = true},
       {.n = 33, .rows = 41}});
  expect_same_images({{.operation = Operation::sort,
                       .key = KeyType::bf16,
                       .index_bytes = 8,
                       .order = Order::descending,
                       .stable = true},
                      {.n = 500, .rows = 3}});
}

TEST(ImageMakerTest, KeysAlone) {
  expect_same_images({{.key = KeyType::f16, .order = Order::descending}, {.n = 17, .rows = 60}});
  expect_same_images({{.key = KeyType::i64}, {.n = 1200}});
}

TEST(ImageMakerTest, TheFirstKeys) {
  expect_same_images({{.operation = Operation::top_k, .key = KeyType::f16, .index_bytes = 4, .k = 5},
                      {.n = 33, .rows = 41}});
  expect_same_images({{.operation = Operation::top_k,
                       .key = KeyType::f32,
                       .value_bytes = 8,
                       .order = Order::descending,
                       .k = 700},
                      {.n = 1501}});
  expect_same_images({{.operation = Operation::top_k, .key = KeyType::f32, .k = 60}, {.n = 60, .rows = 9}});
}

TEST(ImageMakerTest, KnowsWhatItCannotMakeAndWhereItPays) {
  EXPECT_FALSE(ImageMaker::can_make({{}, {.n = 0}}));
  EXPECT_FALSE(ImageMaker::can_make({{}, {.n = 1ull << 31, .rows = 2}}));
  EXPECT_TRUE(ImageMaker::can_make({{}, {.n = (1ull << 31) - 1, .rows = 2}}));
  EXPECT_FALSE(ImageMaker::pays(*emulated_bench().device, {{}, {.n = 1 << 24}})) << "the host does it faster";
}

/// Places that count_misplaced finds wrong, for rows of `row_length` keys.
std::uint64_t misplaced(const std::vector<std::uint32_t>& places, const std::vector<std::uint32_t>& order,
                        std::uint64_t row_length) {
  const auto kernel =
      emulated_bench()
          .kernels->get({"kernels/measure/make_images.cuh", "bitune::count_misplaced<bitune::u32, 256>"})
          .kernel;
  std::uint64_t faults = 0;
  Launch launch;
  launch.block = {256, 1, 1};
  launch.grid = {1, 1, 1};
  const auto slot = [](const void* pointer) -> std::uint64_t {
    return reinterpret_cast<std::uintptr_t>(pointer);
  };
  // The emulated device reads the host's memory.
  emulated_bench().device->launch(*kernel, launch,
                                  std::array<std::uint64_t, 5>{slot(places.data()), slot(order.data()),
                                                               order.size(), row_length, slot(&faults)},
                                  nullptr);
  emulated_bench().device->synchronize(nullptr);
  return faults;
}

TEST(ImageMakerTest, EveryKindOfWrongOrderIsSeen) {
  const std::vector<std::uint32_t> places = {5, 3, 5, 1, /**/ 2, 2, 2, 2};
  EXPECT_EQ(misplaced(places, {3, 1, 0, 2, 4, 5, 6, 7}, 4), 0u);
  EXPECT_EQ(misplaced(places, {1, 3, 0, 2, 4, 5, 6, 7}, 4), 1u) << "a larger key goes first";
  EXPECT_EQ(misplaced(places, {3, 1, 2, 0, 4, 5, 6, 7}, 4), 1u) << "equal keys change places";
  EXPECT_EQ(misplaced(places, {3, 1, 0, 0, 4, 5, 6, 7}, 4), 1u) << "a key stands there twice";
  EXPECT_EQ(misplaced(places, {3, 1, 0, 8, 4, 5, 6, 7}, 4), 1u) << "an index of no key";
  EXPECT_EQ(misplaced(places, {0xffffffff, 3, 1, 0, 4, 5, 6, 7}, 4), 1u) << "an index of no key";
  EXPECT_EQ(misplaced(places, {3, 1, 0, 4, 2, 5, 6, 7}, 4), 3u)
      << "keys of other rows, and a smaller one behind";
  EXPECT_EQ(misplaced(places, {3, 4, 5, 6, 7, 1, 0, 2}, 8), 0u) << "one row of them";
}

}  // namespace
}  // namespace image_maker
}  // namespace bitune::test
