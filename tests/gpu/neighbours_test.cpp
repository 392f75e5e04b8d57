// A sort between kernels of others, on a GPU: slow producer, sort, immediate overwrite of all that the sort
// read and wrote. The neighbours are plain, or dependent launches that begin as early as they may. Skipped
// where there is no GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/inputs.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/cuda/nvrtc_compiler.hpp"
#include "runtime/device.hpp"
#include "tests/support/device_limits.hpp"
#include "tests/support/sort_check.hpp"
#include "tests/support/variant_problems.hpp"

namespace bitune::test {
namespace {

/// The neighbours. A dependent one lets the next launch begin before it has done anything: nobody is allowed
/// less time.
const std::vector<cuda::HeaderText> neighbour_kernels = {{"neighbours/kernels.cuh", R"(#pragma once
namespace neighbours {
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ inline void wait_for_last() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Writes so late that a sort that did not wait has read what was there before. `finished` counts the blocks that are done.
template <bool dependent>
__global__ void produce(unsigned* to, const unsigned* from, unsigned long long words, unsigned long long clocks,
                        unsigned* finished) {
  if (dependent) {
    let_next_begin();
    wait_for_last();
  }
  const long long begin = clock64();
  while (clock64() - begin < static_cast<long long>(clocks)) {}
  const unsigned long long step = gridDim.x * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) to[i] = from[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(finished, 1u);
}
// Keeps the result, then overwrites it, the input and the workspace. A dependent one first looks whether all that came before the sort
// is done: `expected` blocks are to be finished. `early` counts the blocks that began before.
template <bool dependent>
__global__ void overwrite(unsigned* output, unsigned* seen, unsigned long long words, unsigned* input, unsigned* workspace,
                          unsigned long long workspace_words, const unsigned* finished, unsigned expected, unsigned* early) {
  if (dependent) {
    if (threadIdx.x == 0 && *static_cast<const volatile unsigned*>(finished) < expected) atomicAdd(early, 1u);
    let_next_begin();
    wait_for_last();
  }
  const unsigned long long first = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long step = gridDim.x * blockDim.x;
  for (unsigned long long i = first; i < words; i += step) {
    seen[i] = output[i];
    output[i] = 0xdeadbeefu;
    if (input != nullptr) input[i] = 0xfeedbeefu;
  }
  for (unsigned long long i = first; i < workspace_words; i += step) workspace[i] = 0xbadc0deu;
}
}  // namespace neighbours
)"}};

/// The GPU with its kernels; no device if there is none.
const Bench& gpu() {
  static const Bench bench = [] {
    const cuda::Driver* found = cuda::driver_if_present();
    return found == nullptr || found->device_count == 0 ? Bench{} : make_bench(open_device("0"));
  }();
  return bench;
}

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

constexpr std::uint32_t neighbour_blocks = 16;
constexpr std::uint64_t slow_clocks = 60000;  // tens of microseconds: longer than a launch takes
constexpr std::uint32_t links_of_chain = 4;
constexpr std::uint32_t most_sorts_in_a_row = 2;

/// How a chain is built.
struct ChainKind {
  bool dependent_neighbours = false;
  bool out_of_place = false;
  std::uint32_t sorts_in_a_row = 1;  ///< of different arrays, with one workspace

  [[nodiscard]] std::string text() const {
    return std::string(dependent_neighbours ? "dependent" : "plain") + " neighbours, " +
           (out_of_place ? "out of place, " : "in place, ") + std::to_string(sorts_in_a_row) + " in a row";
  }
};

/// The keys of each sort of a chain with their values, where it has any, and what the sort must make of them.
/// All arrays are whole words.
struct Data {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::vector<std::byte>> results;
};

std::vector<std::byte> in_words(std::vector<std::byte> bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

Data data_of(const Problem& problem, std::uint64_t seed) {
  const std::uint64_t count = problem.n * problem.rows;
  std::vector<std::byte> keys = make_keys(problem.key, count, Distribution::random, seed);
  Data data;
  std::vector<std::byte> sorted = keys;
  reference_sort_rows(sorted, problem);
  if (problem.operation == Operation::sort_pairs) {
    // Unsigned keys, and each key's index as its value: a stable sort of a row's indices says what is right.
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 0u);
    std::vector<std::uint32_t> order = values;
    const auto key_at = [&](std::uint32_t i) {
      std::uint32_t key = 0;
      std::memcpy(&key, keys.data() + i * size_of(problem.key), size_of(problem.key));
      return key;
    };
    for (auto row = order.begin(); row != order.end(); row += static_cast<std::ptrdiff_t>(problem.n)) {
      std::stable_sort(row, row + static_cast<std::ptrdiff_t>(problem.n),
                       [&](std::uint32_t a, std::uint32_t b) { return key_at(a) < key_at(b); });
    }
    std::vector<std::byte> value_bytes(count * 4);
    std::vector<std::byte> order_bytes(count * 4);
    std::memcpy(value_bytes.data(), values.data(), value_bytes.size());
    std::memcpy(order_bytes.data(), order.data(), order_bytes.size());
    data.inputs = {in_words(keys), value_bytes};
    data.results = {in_words(sorted), order_bytes};
  } else {
    data.inputs = {in_words(keys)};
    data.results = {in_words(sorted)};
  }
  return data;
}

class GpuNeighbours : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (gpu().device == nullptr) GTEST_SKIP() << "this machine has no GPU";
    const DeviceInfo& info = gpu().device->info();
    const auto compiler =
        cuda::make_nvrtc_compiler(info.compute_major, info.compute_minor, neighbour_kernels);
    for (const bool dependent : {false, true}) {
      const auto load = [&](const std::string& name) {
        return gpu().device->load(compiler->compile(
            {"neighbours/kernels.cuh", "neighbours::" + name + (dependent ? "<true>" : "<false>")}));
      };
      produce_[dependent ? 1 : 0] = load("produce");
      overwrite_[dependent ? 1 : 0] = load("overwrite");
    }
    stream_ = gpu().device->create_stream();
  }

  /// Launches a neighbour.
  void launch(const std::shared_ptr<LoadedKernel> (&kernel)[2], bool dependent,
              const std::vector<std::uint64_t>& arguments) const {
    Launch launch;
    launch.grid = {neighbour_blocks, 1, 1};
    launch.block = {128, 1, 1};
    launch.dependent = dependent;
    gpu().device->launch(*kernel[dependent ? 1 : 0], launch, arguments, stream_->handle());
  }

  void check(const Problem& problem, const Configuration& configuration, const ChainKind& kind,
             const std::vector<Data>& data) const;

  std::shared_ptr<LoadedKernel> produce_[2];
  std::shared_ptr<LoadedKernel> overwrite_[2];
  std::unique_ptr<DeviceStream> stream_;
};

/// Queues a chain without waiting for any of it, then looks at all results. `data`: of each sort.
void GpuNeighbours::check(const Problem& problem, const Configuration& configuration, const ChainKind& kind,
                          const std::vector<Data>& data) const {
  const Device& device = *gpu().device;
  const Variant& variant = *GetParam();
  const ExecutablePlan plan =
      make_executable(device, *gpu().kernels, variant.plan(problem, configuration, device.info()));
  if (kind.out_of_place && !plan.plan().out_of_place) return;
  const std::string about = text_of(problem) + ", " + configuration.text() + ", " + kind.text();

  // One set of arrays for each sort in a row; all links use them again. What is produced and what is seen has
  // memory of its own.
  const std::size_t sorts = std::size_t{links_of_chain} * kind.sorts_in_a_row;
  const std::size_t arrays = data.front().inputs.size();
  using Buffer = std::unique_ptr<DeviceBuffer>;
  std::vector<std::vector<Buffer>> from(sorts);
  std::vector<std::vector<Buffer>> seen(sorts);
  for (std::size_t i = 0; i < sorts; ++i) {
    for (const auto& input : data[i].inputs) {
      from[i].push_back(device.allocate(input.size()));
      device.copy_to_device(from[i].back()->data(), input.data(), input.size(), stream_->handle());
      seen[i].push_back(device.allocate(input.size()));
    }
  }
  std::vector<std::vector<Buffer>> in(kind.sorts_in_a_row);
  std::vector<std::vector<Buffer>> out(kind.sorts_in_a_row);
  std::vector<Operands> operands(kind.sorts_in_a_row);
  const auto workspace = device.allocate(std::max<std::size_t>(plan.plan().workspace_bytes / 4 * 4 + 4, 4));
  const auto counters = device.allocate(2 * sizeof(std::uint32_t));
  device.fill(counters->data(), 0, counters->size(), stream_->handle());
  for (std::uint32_t sort = 0; sort < kind.sorts_in_a_row; ++sort) {
    for (std::size_t a = 0; a < arrays; ++a) {
      const std::size_t bytes = data.front().inputs[a].size();
      out[sort].push_back(device.allocate(bytes));
      in[sort].push_back(kind.out_of_place ? device.allocate(bytes) : nullptr);
      const std::uint64_t elements = problem.n * problem.rows;
      const auto place = [&](Role role, const Buffer& buffer) {
        if (buffer != nullptr) operands[sort][role] = {buffer->data(), elements, problem.n};
      };
      place(a == 0 ? Role::keys_out : Role::values_out, out[sort][a]);
      place(a == 0 ? Role::keys_in : Role::values_in, in[sort][a]);
    }
    operands[sort][Role::workspace] = {workspace->data(), workspace->size(), 0};
  }
  device.synchronize(stream_->handle());

  const std::uint64_t finished = slot(counters->data());
  const std::uint64_t early = finished + sizeof(std::uint32_t);
  std::uint32_t expected = 0;
  for (std::uint32_t link = 0; link < links_of_chain; ++link) {
    for (std::uint32_t sort = 0; sort < kind.sorts_in_a_row; ++sort) {
      for (std::size_t a = 0; a < arrays; ++a) {
        const Buffer& source = from[link * kind.sorts_in_a_row + sort][a];
        const Buffer& target = kind.out_of_place ? in[sort][a] : out[sort][a];
        launch(produce_, kind.dependent_neighbours,
               {slot(target->data()), slot(source->data()), source->size() / 4, slow_clocks, finished});
        expected += neighbour_blocks;
      }
    }
    for (const Operands& memory : operands) plan.run(memory, stream_->handle());
    for (std::uint32_t sort = 0; sort < kind.sorts_in_a_row; ++sort) {
      for (std::size_t a = 0; a < arrays; ++a) {
        const Buffer& copy = seen[link * kind.sorts_in_a_row + sort][a];
        launch(overwrite_, kind.dependent_neighbours,
               {slot(out[sort][a]->data()), slot(copy->data()), copy->size() / 4,
                kind.out_of_place ? slot(in[sort][a]->data()) : 0, slot(workspace->data()),
                workspace->size() / 4, finished, expected, early});
      }
    }
  }

  std::uint32_t began_early = 1;
  device.copy_to_host(&began_early, reinterpret_cast<const void*>(early), sizeof(began_early),
                      stream_->handle());
  device.synchronize(stream_->handle());
  EXPECT_EQ(began_early, 0u) << "blocks of the next kernel began before what came before the sort was done: "
                             << about;
  for (std::size_t i = 0; i < sorts; ++i) {
    for (std::size_t a = 0; a < arrays; ++a) {
      std::vector<std::byte> found(data[i].results[a].size());
      device.copy_to_host(found.data(), seen[i][a]->data(), found.size(), stream_->handle());
      device.synchronize(stream_->handle());
      const std::size_t bytes = problem.n * problem.rows * (a == 0 ? size_of(problem.key) : 4);
      const auto wrong = std::mismatch(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(bytes),
                                       data[i].results[a].begin());
      EXPECT_EQ(wrong.first - found.begin(), static_cast<std::ptrdiff_t>(bytes))
          << "wrong from this byte on: sort " << i << ", array " << a << ", " << about;
    }
  }
}

/// The configuration with each way to launch that the variant has and the device can.
std::vector<Configuration> with_each_launch(const Variant& variant, const Problem& problem,
                                            const Configuration& configuration) {
  if (configuration.parameters.count("dependent_launch") == 0) return {configuration};
  const DeviceInfo& device = gpu().device->info();
  const SearchSpace space = variant.space(problem, device);
  std::vector<Configuration> found;
  for (const std::int64_t value : {0, 1, 2}) {
    Configuration changed = configuration;
    changed.parameters["dependent_launch"] = value;
    if (!space.violation(changed, problem, device)) found.push_back(std::move(changed));
  }
  return found;
}

TEST_P(GpuNeighbours, SortsWhatASlowProducerWritesBeforeAnyoneOverwritesIt) {
  const Variant& variant = *GetParam();
  const DeviceInfo& device = gpu().device->info();
  std::vector<Problem> problems;
  for (const KeyType key : {KeyType::u32, KeyType::u16}) {
    for (const auto& [n, rows] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {700, 1}, {5000, 1}, {100003, 1}, {(1u << 20) + 7, 1}, {1000, 300}, {20000, 5}}) {
      const Problem keys{{.key = key}, {.n = n, .rows = rows}};
      const Problem pairs{{.operation = Operation::sort_pairs, .key = key, .value_bytes = 4, .stable = true},
                          {.n = n, .rows = rows}};
      for (const Problem& problem : {keys, pairs}) {
        if (variant.supports(problem, device)) problems.push_back(problem);
      }
    }
  }
  ASSERT_FALSE(problems.empty());
  std::vector<std::pair<Problem, Configuration>> sorts;
  for (const Problem& problem : problems) {
    std::vector<Configuration> bases = {variant.default_configuration(problem, device)};
    if (problem.n == 100003) {
      for (Configuration& drawn : sample_configurations(variant, problem, device, 2, 11)) {
        bases.push_back(std::move(drawn));
      }
    }
    for (const Configuration& base : bases) {
      for (Configuration& configuration : with_each_launch(variant, problem, base)) {
        sorts.emplace_back(problem, std::move(configuration));
      }
    }
  }
  compile_all(gpu(), sorts);
  Problem problem_of_data;
  std::vector<Data> data;
  for (const auto& [problem, configuration] : sorts) {
    if (data.empty() || problem != problem_of_data) {
      problem_of_data = problem;
      data.clear();
      for (std::uint64_t i = 0; i < links_of_chain * most_sorts_in_a_row; ++i)
        data.push_back(data_of(problem, i));
    }
    for (const bool dependent : {false, true}) {
      if (dependent && device.compute_major < 9) continue;
      for (const bool out_of_place : {false, true}) {
        for (const std::uint32_t in_a_row : {1u, most_sorts_in_a_row}) {
          check(problem, configuration, {dependent, out_of_place, in_a_row}, data);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuNeighbours, ::testing::ValuesIn(sorting_variants(h200())),
                         [](const testing::TestParamInfo<const Variant*>& info) {
                           return std::string(info.param->name());
                         });

}  // namespace
}  // namespace bitune::test
