#include "tests/tools/soak/soak_call.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "measure/guarded_image.hpp"
#include "model/problem.hpp"
#include "model/problem_operands.hpp"
#include "tests/support/call_memory.hpp"

namespace bitune::soak {
namespace {

GuardedLayout layout_of(const Case& one, const Segments& segments, const CallArray& array, Role role) {
  if (!array.by_segment) {
    return {array.element_bytes,
            {.rows = array.rows,
             .row_length = array.row_length,
             .row_stride = array.row_length + one.gaps[static_cast<std::size_t>(role)]}};
  }
  GuardedLayout layout(array.element_bytes, {.rows = one.problem.rows,
                                             .row_length = one.problem.n,
                                             .row_stride = one.problem.n,
                                             .begins = segments.begins,
                                             .lengths = segments.lengths});
  layout.elements = one.problem.n;
  return layout;
}

/// The memory of a call, in the device's memory or in the host's.
test::CallMemory memory_of(const Device& device, const Case& one, Stream stream) {
  const Problem& problem = one.problem;
  test::CallMemory memory(problem, one.memory == Memory::host ? nullptr : &device, stream);
  const auto offset = [&](Role role) { return one.offsets[static_cast<std::size_t>(role)]; };
  const Segments segments = problem.ragged ? segments_of(one) : Segments{};
  if (problem.ragged) {
    memory.add_numbers(Role::offsets, segments.offsets(), segments.number_bytes, offset(Role::offsets));
    if (segments.with_ends)
      memory.add_numbers(Role::ends, segments.ends(), segments.number_bytes, offset(Role::ends));
  }
  for (const CallArray& array : arrays_of(problem)) {
    if (array.in) {
      std::vector<std::byte> input(key_count(problem) * array.element_bytes);
      if (array.in == Role::keys_in) {
        fill_keys(input, problem.key, one.distribution, one.data_seed);
      } else {
        fill_values(input, one.data_seed);
      }
      memory.add(*array.in, GuardedImage(layout_of(one, segments, array, *array.in), input),
                 offset(*array.in));
    }
    if (!array.out || (array.out == Role::keys_out && one.leaves_keys_out)) continue;
    const GuardedLayout layout = layout_of(one, segments, array, *array.out);
    if (!array.in) {
      memory.add(*array.out, GuardedImage(layout), offset(*array.out));
      continue;
    }
    const bool in_place = array.in == Role::keys_in ? one.keys_in_place : one.values_in_place;
    memory.add_output(*array.out, *array.in, layout, in_place, offset(*array.out));
    if (in_place && !one.names_input) memory.operands()[*array.in] = {};
  }
  return memory;
}

/// A workspace with guard bytes behind it.
class GuardedWorkspace {
 public:
  GuardedWorkspace(const Device& device, std::uint64_t bytes, Stream stream)
      : device_(device),
        bytes_(bytes),
        memory_(device.allocate(bytes + GuardedLayout::guard_bytes)),
        stream_(stream) {
    device.fill(memory_->data(), GuardedLayout::guard_value, bytes + GuardedLayout::guard_bytes, stream);
  }
  [[nodiscard]] Operand operand() const { return {memory_->data(), bytes_, 0}; }
  [[nodiscard]] bool is_whole() const {
    std::vector<unsigned char> guard(GuardedLayout::guard_bytes);
    device_.copy_to_host(guard.data(), static_cast<std::byte*>(memory_->data()) + bytes_, guard.size(),
                         stream_);
    device_.synchronize(stream_);
    return std::all_of(guard.begin(), guard.end(),
                       [](unsigned char byte) { return byte == GuardedLayout::guard_value; });
  }

 private:
  const Device& device_;
  std::uint64_t bytes_;
  std::unique_ptr<DeviceBuffer> memory_;
  Stream stream_;
};

}  // namespace

std::optional<std::string> find_fault_of_case(Sorter& sorter, const Device& device, const Case& one,
                                              Stream stream) {
  test::CallMemory memory = memory_of(device, one, stream);
  Operands operands = memory.operands();
  std::optional<GuardedWorkspace> workspace;
  if (one.memory == Memory::host) {
    sorter.run_host(one.problem, operands);
  } else {
    if (one.gives_workspace) {
      workspace.emplace(device, sorter.workspace_size(one.problem), stream);
      operands[Role::workspace] = workspace->operand();
    }
    sorter.run(one.problem, operands, stream);
  }
  auto fault = memory.fault({.threads = 1});
  if (!fault && workspace && !workspace->is_whole()) fault = "wrote behind its workspace";
  return fault;
}

}  // namespace bitune::soak
