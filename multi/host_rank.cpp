#include "multi/host_rank.hpp"

#include <exception>
#include <vector>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "multi/agreement.hpp"
#include "runtime/host_rows.hpp"
#include "runtime/parts/host_call.hpp"

namespace bitune::multi {
namespace {

/// The `count` elements from `first` on.
Operand slice(const Operand& operand, std::uint64_t first, std::uint64_t count, std::size_t bytes) noexcept {
  if (operand.data == nullptr || count == 0) return {};
  return {static_cast<std::byte*>(operand.data) + first * bytes, count, count};
}

/// What a rank reads, and what it writes: as many elements as it gives from `first` on, but of the first k
/// keys all, or none.
Operands part_of(const Problem& problem, const Operands& whole, std::uint64_t first, const MultiPart& part) {
  Operands taken;
  const auto read = [&](Role role, std::size_t bytes) {
    taken[role] = slice(whole[role], first, part.n, bytes);
  };
  const auto write = [&](Role role, std::size_t bytes) {
    taken[role] = slice(whole[role], selects(problem.operation) ? 0 : first, part.result, bytes);
  };
  read(Role::keys_in, size_of(problem.key));
  read(Role::values_in, problem.value_bytes);
  write(Role::keys_out, size_of(problem.key));
  write(Role::values_out, problem.value_bytes);
  write(Role::indices_out, problem.index_bytes);
  return taken;
}

}  // namespace

MultiResult run_host_rank(RankDevice& device, RankStore& store, Communicator& communicator,
                          const Problem& problem, const Operands& operands) {
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  std::uint64_t first = 0;
  for (std::uint64_t before = 0; before < rank; ++before) first += equal_part_of(problem.n, ranks, before);
  MultiPart part;
  part.n = part.result = equal_part_of(problem.n, ranks, rank);
  if (selects(problem.operation)) part.result = rank == 0 ? problem.k : 0;
  if (part.n == 0) return run_rank(device, store, communicator, problem, part);

  Problem one = problem;
  one.n = part.n;
  const Operands on_host = part_of(problem, operands, first, part);
  HostRows rows(one, on_host);
  const HostCall call = host_call(one, on_host, rows);
  std::vector<HostArray> arrays;
  for (const HostCall::Array& array : call.arrays) arrays.push_back(array.memory);
  MultiResult result;
  HostSortTimes times;
  try {
    times = device.host().run(arrays, [&](std::span<void* const> memory, Stream stream) {
      for (std::size_t i = 0; i < memory.size(); ++i) {
        part.operands[call.arrays[i].role] = {memory[i], call.arrays[i].elements, call.arrays[i].stride};
      }
      part.stream = stream;
      result = run_rank(device, store, communicator, problem, part);
    });
  } catch (const AgreedError&) {
    throw;
  } catch (const Error& error) {
    communicator.abort(error.code(), error.what());
    throw;
  } catch (const std::exception& error) {
    communicator.abort(ErrorCode::device, error.what());
    throw;
  }
  result.host_to_device_us = times.host_to_device_us;
  result.device_to_host_us = times.device_to_host_us;
  result.total_us = times.total_us;
  return result;
}

}  // namespace bitune::multi
