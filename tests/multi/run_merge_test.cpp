// Merging runs of several tiles: as a stable sort of all of them.

#include "multi/run_merge.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "measure/inputs.hpp"
#include "measure/reference_call.hpp"
#include "model/key_type.hpp"
#include "runtime/open_engine.hpp"

namespace bitune::test {
namespace run_merge {
namespace {

using Bytes = std::vector<std::byte>;

multi::RankDevice emulated_device() {
  SorterOptions options;
  options.device = "emulated";
  options.database = "no-such-folder/none.db";
  return multi::RankDevice(open_engine(options));
}

/// Keys with values of 8 bytes, sorted by the reference.
void sort_on_host(const SortSpec& spec, Bytes& keys, Bytes& values) {
  const std::uint64_t n = keys.size() / size_of(spec.key);
  const Bytes keys_in = keys;
  const Bytes values_in = values;
  Operands operands;
  const auto add = [&](Role role, const Bytes& bytes) {
    operands[role] = {const_cast<std::byte*>(bytes.data()), n, n};
  };
  add(Role::keys_in, keys_in);
  add(Role::keys_out, keys);
  add(Role::values_in, values_in);
  add(Role::values_out, values);
  reference_call({spec, {.n = n}}, operands);
}

/// Merges runs of these lengths and looks at the `kept` keys and values behind the first `skipped` ones.
void expect_merged(multi::RankDevice& device, KeyType key, Order order, Distribution distribution,
                   const std::vector<std::uint64_t>& lengths, std::uint64_t kept, std::uint64_t skipped = 0,
                   std::uint32_t value_bytes = 8, const multi::CopyRules& rules = {}) {
  const SortSpec spec{.operation = Operation::sort_pairs,
                      .key = key,
                      .value_bytes = value_bytes,
                      .order = order,
                      .stable = true};
  Bytes keys;
  Bytes values;
  for (std::size_t run = 0; run < lengths.size(); ++run) {
    Bytes keys_of_run = make_keys(key, lengths[run], distribution, run + 1);
    Bytes values_of_run(lengths[run] * value_bytes);
    fill_values(values_of_run, run + 1);
    if (lengths[run] != 0) sort_on_host(spec, keys_of_run, values_of_run);
    keys.insert(keys.end(), keys_of_run.begin(), keys_of_run.end());
    values.insert(values.end(), values_of_run.begin(), values_of_run.end());
  }
  Bytes right_keys = keys;
  Bytes right_values = values;
  sort_on_host(spec, right_keys, right_values);
  const auto keep = [&](Bytes& all, std::size_t bytes) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(skipped * bytes);
    all = Bytes(begin, begin + static_cast<std::ptrdiff_t>(kept * bytes));
  };
  keep(right_keys, size_of(key));
  keep(right_values, value_bytes);

  const multi::RunMerge merge(spec, value_bytes, rules);
  // Each run in memory of its own, as on several devices.
  std::vector<Bytes> memory;
  std::vector<multi::MergedRun> runs;
  std::uint64_t begin = 0;
  for (const std::uint64_t length : lengths) {
    const auto part = [&](const Bytes& all, std::size_t bytes) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin * bytes);
      return memory.emplace_back(from, from + static_cast<std::ptrdiff_t>(length * bytes)).data();
    };
    const bool is_near = runs.size() == 1;
    runs.push_back({{part(keys, size_of(key)), part(values, value_bytes)}, length, is_near});
    begin += length;
  }
  Bytes keys_between(keys.size());
  Bytes values_between(values.size());
  Bytes keys_out(right_keys.size());
  Bytes values_out(right_values.size());
  Bytes splits(merge.splits_bytes(keys.size() / size_of(key)));
  Bytes copied_keys(keys.size());
  Bytes copied_values(values.size());
  multi::ChunkCopies copies(device.device());
  multi::RunMerge::Cut cut{};
  int told = 0;
  merge.run(device, runs, skipped, kept,
            {.to = {keys_out.data(), values_out.data()},
             .between = {multi::RunArrays{keys_between.data(), values_between.data()},
                         multi::RunArrays{keys.data(), values.data()}},
             .splits = splits.data(),
             .copied = {copied_keys.data(), copied_values.data()},
             .copies = merge.is_copied(kept) ? &copies : nullptr,
             .cut = &cut,
             .runs_are_read = [&] { ++told; }},
            nullptr);
  device.device().synchronize(nullptr);
  EXPECT_EQ(told, 1);
  const auto text = [&] { return std::string(name_of(key)) + ", " + std::string(name_of(distribution)); };
  EXPECT_TRUE(keys_out == right_keys) << text();
  EXPECT_TRUE(values_out == right_values) << text();
}

TEST(RunMerge, GivesWhatAStableSortGives) {
  multi::RankDevice device = emulated_device();
  for (const Distribution distribution : all_distributions) {
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {9000, 5001}, 14001);
  }
  // A tile of 8-byte keys is shorter; and lengths around a tile.
  expect_merged(device, KeyType::f64, Order::descending, Distribution::special, {2048, 2049}, 4097);
  expect_merged(device, KeyType::f64, Order::descending, Distribution::few_distinct, {1, 2047}, 2048);
  expect_merged(device, KeyType::f64, Order::descending, Distribution::few_distinct, {4096, 1}, 4097);
}

TEST(RunMerge, MovesEveryWidth) {
  multi::RankDevice device = emulated_device();
  for (const std::uint32_t value_bytes : {1, 2, 4, 16}) {
    for (const KeyType key : {KeyType::u8, KeyType::i16}) {
      expect_merged(device, key, Order::descending, Distribution::few_distinct, {3001, 2222}, 5000, 201,
                    value_bytes);
    }
  }
}

TEST(RunMerge, GivesWhatLiesBehindKeysThatOthersGet) {
  multi::RankDevice device = emulated_device();
  for (const Distribution distribution : {Distribution::random, Distribution::few_distinct}) {
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {9000, 5001}, 7000, 7001);
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {9000, 16001}, 24000, 1001);
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {0, 300}, 100, 150);
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {300, 0}, 100, 200);
  }
}

TEST(RunMerge, CopiesWhatIsFarInChunks) {
  multi::RankDevice device = emulated_device();
  for (const std::uint64_t least : {1, 16 << 10, 64 << 10}) {
    const multi::CopyRules rules{.from_bytes = 1, .least_chunk_bytes = least};
    for (const Distribution distribution : all_distributions) {
      expect_merged(device, KeyType::f32, Order::ascending, distribution, {9000, 16001}, 20000, 1001, 8,
                    rules);
    }
    // One run has whole chunks, or there is only one.
    expect_merged(device, KeyType::u8, Order::ascending, Distribution::all_equal, {30000, 9000}, 39000, 0, 1,
                  rules);
    expect_merged(device, KeyType::u8, Order::ascending, Distribution::all_equal, {0, 9000}, 8000, 700, 16,
                  rules);
    expect_merged(device, KeyType::u8, Order::ascending, Distribution::few_distinct, {9000, 0}, 1, 8999, 2,
                  rules);
    expect_merged(device, KeyType::f64, Order::descending, Distribution::special, {5000, 0, 3, 4096, 1, 200},
                  9300, 0, 4, rules);
  }
}

TEST(RunMerge, OfSeveralRunsGoesInRounds) {
  multi::RankDevice device = emulated_device();
  for (const Distribution distribution : {Distribution::special, Distribution::few_distinct}) {
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {5000, 0, 3, 4096, 1, 200}, 9300);
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {0, 4100, 0}, 4100);
    expect_merged(device, KeyType::f32, Order::ascending, distribution, {5000, 4100, 300}, 4099);
  }
}

}  // namespace
}  // namespace run_merge
}  // namespace bitune::test
