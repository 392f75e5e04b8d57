// Segments on a GPU: every operation and distribution of lengths, and a captured graph that is replayed with
// other offsets in the same memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bitune/bitune.hpp"
#include "measure/call_image.hpp"
#include "measure/inputs.hpp"
#include "measure/segments.hpp"
#include "model/problem.hpp"
#include "runtime/cuda/driver.hpp"
#include "runtime/device.hpp"
#include "tests/gpu/checked_call.hpp"
#include "tests/gpu/driver_trace.hpp"

namespace bitune {
namespace {

/// Sorted by lists of lengths, by a block each, and by a cluster each.
constexpr Shape shapes[] = {{.n = 4096, .rows = 40, .ragged = true},
                            {.n = 20000, .rows = 40, .ragged = true},
                            {.n = 120000, .rows = 30, .ragged = true}};
constexpr SortSpec specs[] = {
    {.key = KeyType::u32},
    {.operation = Operation::sort_pairs, .key = KeyType::f32, .value_bytes = 4, .stable = true},
    {.operation = Operation::argsort, .key = KeyType::i64, .index_bytes = 4, .stable = true}};

std::vector<Problem> all_problems() {
  std::vector<Problem> all;
  for (const Shape& shape : shapes) {
    for (const SortSpec& spec : specs) all.push_back({spec, shape});
  }
  return all;
}

/// An image of a call's input, and of what the call makes of it.
struct Batch {
  Segments segments;
  CallLayout layout;
  std::vector<std::byte> before;

  Batch(const Problem& problem, Segments given, std::uint64_t seed)
      : segments(std::move(given)),
        layout(problem, segments),
        before(layout.bytes(), std::byte{GuardedLayout::guard_value}) {
    for (const CallLayout::Part& part : layout.parts()) {
      if (part.array.in == Role::keys_in)
        fill_keys(CallLayout::rows(before, part), problem.key, Distribution::random, seed);
      if (part.array.in == Role::values_in) fill_values(CallLayout::rows(before, part), seed);
      if (part.array.in == Role::offsets || part.array.in == Role::ends) {
        CallLayout::write_bounds(before, part, segments);
      } else if (part.array.in) {
        guard_gaps(std::span(before).subspan(part.begin), part.layout);
      }
    }
  }

  /// In place, of an image in device memory.
  [[nodiscard]] Operands operands(void* image) const {
    Operands operands;
    for (const CallLayout::Part& part : layout.parts()) {
      operands[part.array.out ? *part.array.out : *part.array.in] = CallLayout::operand(part, image);
    }
    return operands;
  }
};

class GpuSegments : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    device = open_device("0");
    stream = device->create_stream();
  }

  /// Has `sort` sort the batch in this memory; what is wrong with the result.
  template <class Sort>
  [[nodiscard]] std::string fault_of(const Problem& problem, const Batch& batch, void* memory,
                                     const Sort& sort) {
    std::vector<std::byte> after(batch.before.size());
    device->copy_to_device(memory, batch.before.data(), batch.before.size(), stream->handle());
    sort();
    device->copy_to_host(after.data(), memory, after.size(), stream->handle());
    device->synchronize(stream->handle());
    const auto input = std::span(batch.before).first(batch.layout.input_bytes());
    return find_fault_of_call(problem, batch.layout, input, after).value_or("");
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<DeviceStream> stream;
};

TEST_F(GpuSegments, AreSortedWhateverTheirLengths) {
  Sorter sorter(test::own_options());
  for (const Problem& problem : all_problems()) {
    for (const Lengths lengths : all_lengths) {
      const Segments packed = packed_segments(make_lengths(problem, std::string(name_of(lengths)), 7));
      for (const Segments& segments : {packed, segments_with_gaps(packed)}) {
        const Batch batch(problem, segments, 3);
        const auto memory = device->allocate(batch.before.size());
        EXPECT_EQ(fault_of(problem, batch, memory->data(),
                           [&] { sorter.run(problem, batch.operands(memory->data()), stream->handle()); }),
                  "")
            << text_of(problem) << ", " << name_of(lengths) << (segments.with_ends ? ", with gaps" : "");
      }
    }
  }
}

TEST_F(GpuSegments, AGraphIsReplayedWithOtherOffsetsInTheSameMemory) {
  Sorter sorter(test::own_options());
  for (const Problem& problem : all_problems()) {
    const auto batch_of = [&](Lengths lengths, std::uint64_t seed) {
      return Batch(problem, packed_segments(make_lengths(problem, std::string(name_of(lengths)), seed)),
                   seed);
    };
    const Batch first = batch_of(Lengths::uniform, 1);
    const auto memory = device->allocate(first.before.size());
    sorter.prepare(problem);
    const auto graph = device->capture(
        stream->handle(), [&] { sorter.run(problem, first.operands(memory->data()), stream->handle()); });
    ASSERT_NE(graph, nullptr);
    std::uint64_t seed = 1;
    for (const Lengths lengths : all_lengths) {
      EXPECT_EQ(fault_of(problem, batch_of(lengths, ++seed), memory->data(),
                         [&] { graph->launch(stream->handle()); }),
                "")
          << text_of(problem) << ", " << name_of(lengths);
    }
  }
}

/// What the driver is asked for a batch of another number and other lengths: to launch, and nothing else.
/// That the context is the one that the Sorter was made in is asked as well; none of that waits, allocates or
/// loads.
TEST_F(GpuSegments, ATraceOfBatchesOfLikeSizeHasNothingButLaunches) {
  const std::set<std::string> allowed = {
      "cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetId",       "cuCtxPushCurrent",
      "cuCtxPopCurrent", "cuLaunchKernel", "cuLaunchKernelEx", "cuDevicePrimaryCtxGetState"};
  Sorter sorter(test::own_options());
  for (const SortSpec& spec : specs) {
    sorter.prepare({spec, {.n = 64 * 128, .rows = 64, .ragged = true}});
    std::uint64_t seed = 0;
    for (const Shape shape :
         {Shape{.n = 60 * 70, .rows = 60, .ragged = true}, Shape{.n = 34 * 120, .rows = 34, .ragged = true},
          Shape{.n = 50 * 100, .rows = 50, .ragged = true}}) {
      const Problem problem{spec, shape};
      const Lengths lengths = all_lengths[seed % all_lengths.size()];
      ++seed;
      const Batch batch(problem, packed_segments(make_lengths(problem, std::string(name_of(lengths)), seed)),
                        seed);
      const auto memory = device->allocate(batch.before.size());
      const std::uint64_t bytes = sorter.workspace_size(problem);
      const auto workspace = device->allocate(std::max<std::uint64_t>(bytes, 1));
      Operands operands = batch.operands(memory->data());
      operands[Role::workspace] = {workspace->data(), bytes, 0};
      std::vector<std::string> calls;
      EXPECT_EQ(fault_of(problem, batch, memory->data(),
                         [&] {
                           const test::DriverTrace trace;
                           sorter.run(problem, operands, stream->handle());
                           calls = trace.calls();
                         }),
                "")
          << text_of(problem);
      EXPECT_GT(calls.size(), 0u);
      for (const std::string& call : calls)
        EXPECT_TRUE(allowed.count(call) != 0) << call << ": " << text_of(problem);
    }
  }
}

TEST_F(GpuSegments, WrongOffsetsAreToldWhereThatIsAsked) {
  Sorter sorter(test::own_options());
  const Problem problem{specs[0], shapes[0]};
  const Batch batch(problem, packed_segments(make_lengths(problem, "uniform", 1)), 1);
  const auto memory = device->allocate(batch.before.size());
  device->copy_to_device(memory->data(), batch.before.data(), batch.before.size(), stream->handle());
  const Operands operands = batch.operands(memory->data());
  sorter.check_segments(problem, operands, stream->handle());
  const std::uint32_t behind = problem.n + 1;
  device->copy_to_device(static_cast<std::uint32_t*>(operands[Role::offsets].data) + problem.rows, &behind,
                         sizeof(behind), stream->handle());
  EXPECT_THROW(sorter.check_segments(problem, operands, stream->handle()), Error);
}

}  // namespace
}  // namespace bitune
