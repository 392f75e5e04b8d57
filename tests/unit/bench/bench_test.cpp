#include "bench/bench.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "bench/interleaved_sampler.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "measure/measure.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_order.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"
#include "tests/support/timed_device.hpp"

namespace bitune {
namespace {

Problem u32_array(std::uint64_t n) { return {{.key = KeyType::u32}, {.n = n}}; }

namespace fs = std::filesystem;

TEST(Bench, RunsOnTheEmulatedDeviceWithoutAPeer) {
  const fs::path folder = fs::temp_directory_path() / ("bitune-bench-" + std::to_string(::getpid()));
  BenchRequest request;
  request.device = "emulated";
  request.database = (folder / "none.db").string();
  request.kernel_cache = (folder / "cache").string();
  request.sizes = {2, 300};
  request.specs = {{.key = KeyType::f32}};
  request.distributions = {Distribution::random, Distribution::all_equal};
  request.samples = 3;
  std::vector<std::size_t> begun;
  std::vector<std::size_t> finished;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(
      request,
      [&](const BenchProgress& now) {
        EXPECT_EQ(now.count, 4u);
        (now.finished == nullptr ? begun : finished).push_back(now.index);
      },
      stop);
  fs::remove_all(folder);
  EXPECT_EQ(begun, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(finished, begun);
  EXPECT_NE(result.note.find("no peers"), std::string::npos) << result.note;
  ASSERT_EQ(result.records.size(), 4u);
  EXPECT_EQ(result.records.front().distribution, "random");
  EXPECT_EQ(result.records.back().distribution, "all_equal");
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified);
    EXPECT_GT(record.bitune_us, 0);
    EXPECT_EQ(record.ratio, std::nullopt);
    EXPECT_EQ(record.samples, 3);
    EXPECT_FALSE(record.configuration.empty());
    EXPECT_EQ(record.date.size(), 10u);
  }
}

/// Each of two configurations that selection would not both take.
TEST(Bench, SortsByTheConfigurationThatIsGiven) {
  const fs::path folder = fs::temp_directory_path() / ("bitune-given-" + std::to_string(::getpid()));
  BenchRequest request;
  request.device = "emulated";
  request.database = (folder / "none.db").string();
  request.kernel_cache = (folder / "cache").string();
  request.specs = {{.key = KeyType::u32}};
  request.sizes = {3000};
  request.samples = 1;
  const DeviceInfo device = open_device("emulated")->info();
  for (const char* const name : {"radix", "shared"}) {
    request.configuration = variant(name).default_configuration(u32_array(3000), device).text();
    const BenchResult result = run_bench(request, {}, std::atomic<bool>{false});
    ASSERT_EQ(result.records.size(), 1u) << name;
    EXPECT_TRUE(result.records[0].verified) << name;
    EXPECT_EQ(result.records[0].configuration, request.configuration);
    EXPECT_EQ(result.records[0].match, "given");
    EXPECT_EQ(result.records[0].expected_us, std::nullopt);
  }
  fs::remove_all(folder);
}

TEST(Bench, PairsAndArgsortAgainstTheHost) {
  const fs::path folder = fs::temp_directory_path() / ("bitune-bench-pairs-" + std::to_string(::getpid()));
  const SortSpec pairs{
      .operation = Operation::sort_pairs, .key = KeyType::u8, .value_bytes = 4, .stable = true};
  const SortSpec argsort{.operation = Operation::argsort, .key = KeyType::u8, .index_bytes = 4};
  BenchRequest request;
  request.device = "emulated";
  request.against = "host";
  request.database = (folder / "none.db").string();
  request.kernel_cache = (folder / "cache").string();
  request.specs = {pairs, argsort};
  request.sizes = {600};  // so many keys of a byte that there are equal ones
  request.samples = 3;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(request, {}, stop);
  fs::remove_all(folder);
  EXPECT_EQ(result.note, "");
  ASSERT_EQ(result.records.size(), 2u);
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified);
    EXPECT_EQ(record.peer, "host");
    EXPECT_EQ(record.peer_method, "stable_sort") << "the one for arrays";
    EXPECT_EQ(record.methods_us.size(), 1u);
    EXPECT_GT(record.ratio.value_or(0), 0);
  }
  EXPECT_EQ(static_cast<const SortSpec&>(result.records[0].problem), pairs);
  EXPECT_EQ(static_cast<const SortSpec&>(result.records[1].problem), argsort);
  EXPECT_EQ(result.records[1].form, "out of place") << "an argsort leaves the keys as they are";
}

TEST(Bench, AnotherBitune) {
  const fs::path folder = fs::temp_directory_path() / ("bitune-bench-other-" + std::to_string(::getpid()));
  ::setenv("BITUNE_PEER_LIBRARY", BITUNE_SHARED_LIBRARY, 1);
  ::setenv("BITUNE_PEER_DB", (folder / "other.db").c_str(), 1);
  BenchRequest request;
  request.device = "emulated";
  request.against = "bitune";
  request.database = (folder / "none.db").string();
  request.kernel_cache = (folder / "cache").string();
  request.specs = {{.key = KeyType::i16},
                   {.operation = Operation::argsort, .key = KeyType::i16, .index_bytes = 4}};
  request.sizes = {300};
  request.samples = 2;
  const std::atomic<bool> stop{false};
  const BenchResult result = run_bench(request, {}, stop);
  ::unsetenv("BITUNE_PEER_LIBRARY");
  ::unsetenv("BITUNE_PEER_DB");
  fs::remove_all(folder);
  EXPECT_EQ(result.note, "");
  ASSERT_EQ(result.records.size(), 2u);
  for (const BenchRecord& record : result.records) {
    EXPECT_TRUE(record.verified);
    EXPECT_EQ(record.peer, "bitune");
    EXPECT_GT(record.ratio.value_or(0), 0);
  }
  EXPECT_EQ(result.records[0].methods_us.size(), 2u) << "in place, and out of place";
  EXPECT_EQ(result.records[1].methods_us.size(), 1u) << "an argsort leaves the keys as they are";
}

TEST(Bench, StopsAndRefuses) {
  BenchRequest request;
  request.device = "emulated";
  request.sizes = {100};
  std::atomic<bool> stop{true};
  EXPECT_TRUE(run_bench(request, {}, stop).records.empty());
  stop = false;
  request.sizes = {1};
  EXPECT_THROW(static_cast<void>(run_bench(request, {}, stop)), Error);
  request.sizes = {100};
  request.distributions = {Distribution::special};
  EXPECT_THROW(static_cast<void>(run_bench(request, {}, stop)), Error) << "sorts differ on NaNs";
  request.distributions = {Distribution::some_nan};
  EXPECT_THROW(static_cast<void>(run_bench(request, {}, stop)), Error) << "NaNs have no order for peers";
  request.distributions = {Distribution::sorted};
  request.suite = BenchSuite::rows;
  request.sizes = {100};
  request.total = 99;
  EXPECT_THROW(static_cast<void>(run_bench(request, {}, stop)), Error) << "not even one row";
  request.rows = {0};
  EXPECT_THROW(static_cast<void>(run_bench(request, {}, stop)), Error);
  EXPECT_THROW(static_cast<void>(parse_bench_suite("columns")), Error);
}

TEST(Bench, RowsOfATotalAndOfGivenNumbers) {
  BenchRequest request;
  request.suite = parse_bench_suite("rows");
  request.device = "emulated";
  request.database = "/nowhere/none.db";
  request.specs = {{.key = KeyType::u16, .order = Order::descending}};
  request.sizes = {1, 30};
  request.total = 100;
  request.samples = 3;
  const std::atomic<bool> stop{false};
  const auto of_total = run_bench(request, {}, stop).records;
  ASSERT_EQ(of_total.size(), 2u);
  EXPECT_EQ(of_total[0].problem.rows, 100u);
  EXPECT_EQ(of_total[0].form, "out of place") << "in place there is nothing to do";
  EXPECT_EQ(of_total[1].problem.rows, 3u);
  request.rows = {1, 7};
  const auto given = run_bench(request, {}, stop).records;
  ASSERT_EQ(given.size(), 4u);
  EXPECT_EQ(given[3].problem.rows, 7u);
  for (const BenchRecord& record : given) {
    EXPECT_EQ(record.suite, "rows");
    EXPECT_TRUE(record.verified);
    EXPECT_NEAR(record.gkeys_per_s * 1000 * record.bitune_us,
                static_cast<double>(record.problem.n * record.problem.rows), 1e-6);
  }
}

/// Sorts at once on the host. The address tells which of the separately restored buffers it was given.
Contestant host_sorter(std::string name, bool in_place, std::size_t n,
                       std::vector<void*>* buffers = nullptr) {
  return {std::move(name), in_place, [=](const Operands& operands, Stream) {
            void* const keys = operands.input().data;
            void* const out = operands[Role::keys_out].data;
            if (buffers != nullptr) buffers->push_back(keys);
            EXPECT_FALSE(is_sorted(keys, n, KeyType::u32, Order::ascending)) << "the input was not restored";
            if (!in_place) std::memcpy(out, keys, n * 4);
            reference_sort(in_place ? keys : out, n, KeyType::u32, Order::ascending);
          }};
}

TEST(InterleavedSampler, RestoresTheKeysForEverySortOfABatch) {
  constexpr std::size_t n = 100;
  const auto device = std::make_shared<fake::Device>();
  device->let_events_pass_time();
  const auto keys = make_keys(KeyType::u32, n, Distribution::random, 1);
  KernelStore kernels(device, nullptr);
  InterleavedSampler sampler(*device, kernels, u32_array(n), CallLayout(u32_array(n)),
                             std::array{BenchInput{keys, {}}});
  std::vector<void*> buffers;
  const std::vector<Contestant> both = {host_sorter("a", true, n, &buffers), host_sorter("b", false, n)};
  const InterleavedSamples result = sampler.run(both, 5);
  ASSERT_EQ(result.batches.size(), 2u);
  EXPECT_EQ(result.batches[0], 16) << "of a microsecond each: as many as there may be";
  ASSERT_EQ(result.samples_us.size(), 2u);
  EXPECT_EQ(result.samples_us[0].size(), 5u);
  EXPECT_EQ(result.samples_us[1].size(), 5u);
  std::sort(buffers.begin(), buffers.end());
  const auto distinct = std::unique(buffers.begin(), buffers.end()) - buffers.begin();
  EXPECT_EQ(distinct, result.batches[0] + 1) << "and the one to warm up in";
}

/// What the device was asked for one sample: the last entries of its log.
std::vector<std::string> last_sample(const std::vector<std::string>& log) {
  auto begin = log.end() - 1;
  while (begin != log.begin() && *(begin - 1) != "synchronize") --begin;
  return {begin, log.end()};
}

TEST(InterleavedSampler, TimesAPlanAsTheTunerDoes) {
  const auto device = std::make_shared<fake::TimedDevice>();
  device->launch_us = [] { return 5.0; };
  KernelStore kernels(device, nullptr);
  Plan plan;
  plan.kernels = {{"fake.cuh", "u32 ascending"}};
  plan.launches.resize(7);
  const ExecutablePlan sort = make_executable(*device, kernels, plan);
  const Problem problem{{}, {.n = 1 << 16}};

  Measurer measurer(*device, kernels);
  const ProblemData data(
      *device, problem, MeasuredInput{.distribution = Distribution::random, .seed = 1, .inputs = 8}, nullptr);
  const Measurement tuned = measurer.measure(sort, data, Distribution::random,
                                             {.min_samples = 1, .max_samples = 1}, 0, nullptr, nullptr);
  const std::vector<std::string> by_tuner = last_sample(device->log);

  InterleavedSampler sampler(
      *device, kernels, problem, CallLayout(problem),
      std::array{BenchInput{make_keys(KeyType::u32, problem.n, Distribution::random, 1), {}}});
  const std::vector<Contestant> contestants = {
      {"plan", true, [&sort](const Operands& operands, Stream stream) { sort.run(operands, stream); }, 7}};
  const InterleavedSamples benched = sampler.run(contestants, 1);
  EXPECT_EQ(last_sample(device->log), by_tuner);
  EXPECT_EQ(by_tuner.front(), "hold");
  EXPECT_EQ(std::count(by_tuner.begin(), by_tuner.end(), "sort"), 6 * 7) << "6 x 35 us make 200 us";
  ASSERT_EQ(tuned.samples_us.size(), 1u);
  EXPECT_NEAR(tuned.samples_us[0], 35, 1e-9);
  EXPECT_NEAR(benched.samples_us[0][0], 35, 1e-9);
}

TEST(InterleavedSampler, SamplesWhatIsVerySlowLessOften) {
  const auto device = std::make_shared<fake::TimedDevice>();
  KernelStore kernels(device, nullptr);
  InterleavedSampler sampler(*device, kernels, u32_array(8), CallLayout(u32_array(8)),
                             std::array{BenchInput{make_keys(KeyType::u32, 8, Distribution::random, 1), {}}});
  const std::vector<Contestant> both = {
      {"fast", true, [&device](const Operands&, Stream) { device->work(1000); }},
      {"slow", true, [&device](const Operands&, Stream) { device->work(120000); }}};
  const InterleavedSamples result = sampler.run(both, 12);
  EXPECT_EQ(result.samples_us[0].size(), 12u);
  EXPECT_EQ(result.samples_us[1].size(), 5u) << "until it has taken half a second";
}

TEST(InterleavedSampler, VerifiesBitForBit) {
  constexpr std::size_t n = 1000;
  const auto device = std::make_shared<fake::Device>();
  const auto keys = make_keys(KeyType::u32, n, Distribution::random, 1);
  auto expected = keys;
  reference_sort(expected.data(), n, KeyType::u32, Order::ascending);
  KernelStore kernels(device, nullptr);
  InterleavedSampler sampler(*device, kernels, u32_array(n), CallLayout(u32_array(n)),
                             std::array{BenchInput{keys, {}}});
  EXPECT_TRUE(sampler.verify(host_sorter("in place", true, n)));
  EXPECT_TRUE(sampler.verify(host_sorter("out of place", false, n)));
  EXPECT_FALSE(sampler.verify({"nothing", true, [](const Operands&, Stream) {}}));
  EXPECT_FALSE(sampler.verify({"nothing", false, [](const Operands&, Stream) {}}));
  EXPECT_FALSE(sampler.verify({"one wrong", true, [&](const Operands& operands, Stream) {
                                 void* const on_device = operands[Role::keys_out].data;
                                 std::memcpy(on_device, expected.data(), n * 4);
                                 static_cast<std::uint32_t*>(on_device)[n - 1] += 1;
                               }}));
}

}  // namespace
}  // namespace bitune
