#include "runtime/parts/host_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/at_once.hpp"
#include "runtime/in_order.hpp"
#include "runtime/parts/host_scratch.hpp"
#include "runtime/parts/shared_cuts.hpp"
#include "runtime/parts/sorted_runs.hpp"
#include "runtime/parts/strided_runs.hpp"

namespace bitune {
namespace {

std::size_t element_bytes(const Problem& problem, Role role) noexcept {
  switch (role) {
    case Role::keys_in:
    case Role::keys_out:
      return size_of(problem.key);
    case Role::values_in:
    case Role::values_out:
      return problem.value_bytes;
    case Role::indices_out:
      return problem.index_bytes;
    default:
      return 1;
  }
}

/// The operand from an element on.
Operand behind(const Operand& operand, std::uint64_t elements, std::size_t bytes) noexcept {
  if (operand.data == nullptr) return operand;
  return {static_cast<std::byte*>(operand.data) + elements * bytes, operand.elements - elements,
          operand.stride};
}

/// What the call has from one of its rows on.
Operands from_row(const Problem& problem, const Operands& operands, std::uint64_t row) noexcept {
  Operands rest;
  for (const Role role :
       {Role::keys_in, Role::keys_out, Role::values_in, Role::values_out, Role::indices_out}) {
    const Operand& operand = operands[role];
    rest[role] = behind(operand, row * operand.stride, element_bytes(problem, role));
  }
  const Operand& lengths = operands[Role::lengths];
  rest[Role::lengths] = behind(lengths, row, lengths.stride);
  return rest;
}

/// How many parts of at most so many make all of it.
std::uint64_t count_of(std::uint64_t all, std::uint64_t most) noexcept { return (all + most - 1) / most; }

/// Rows that go to the device together.
std::uint64_t rows_at_once(const Problem& problem, const PartSizes& sizes) noexcept {
  return std::max<std::uint64_t>(sizes.keys / std::max<std::uint64_t>(problem.n, 1), 1);
}

/// What travels with the keys is a value here: an index, too, once it is made.
struct Carried {
  std::uint32_t bytes = 0;
  Role out = Role::values_out;
};

Carried carried_of(const Problem& problem) noexcept {
  if (problem.index_bytes != 0) return {problem.index_bytes, Role::indices_out};
  return {problem.value_bytes, Role::values_out};
}

template <class Index>
void add_to(std::byte* indices, std::uint64_t count, std::uint64_t first) noexcept {
  for (auto* index = reinterpret_cast<Index*>(indices); count > 0; --count, ++index) {
    *index = static_cast<Index>(*index + first);
  }
}

/// Makes indices in a part those in the array.
void move_indices(std::byte* indices, std::uint64_t count, std::uint64_t first,
                  std::uint32_t bytes) noexcept {
  if (bytes == 4) {
    add_to<std::uint32_t>(indices, count, first);
  } else {
    add_to<std::uint64_t>(indices, count, first);
  }
}

/// Keys alone are sorted where they end up, if parts are large enough: equal keys are the same.
std::optional<StridedRuns> strided_runs_of(const Problem& problem, std::uint64_t most) {
  if (carried_of(problem).bytes != 0) return std::nullopt;
  return StridedRuns::of(problem.n, most);
}

/// The call for keys alone, which are gathered from pieces.
HostCall call_of_keys(const Problem& problem, std::uint64_t n, std::vector<HostPiece> from,
                      std::vector<HostRoom> to) {
  HostCall call{.problem = problem, .arrays = {}, .reading = {}};
  call.problem.n = n;
  call.arrays.push_back({Role::keys_out, {std::move(from), std::move(to), n * size_of(problem.key)}, n, n});
  return call;
}

}  // namespace

std::uint64_t part_count(const Problem& problem, const PartSizes& sizes) noexcept {
  if (problem.n <= sizes.keys) return count_of(problem.rows, rows_at_once(problem, sizes));
  const std::uint64_t parts = count_of(problem.n, sizes.keys);
  if (selects(problem.operation)) return problem.rows * (parts + 1);
  const auto runs = strided_runs_of(problem, sizes.keys);
  return problem.rows * (runs ? runs->runs() + runs->regions() : 2 * parts);
}

/// What is done, and the times of it.
class HostParts::Tally {
 public:
  Tally(std::uint64_t parts, const ProgressFunction& progress) : parts_(parts), progress_(progress) {}

  void add(const HostSortTimes& times) {
    const std::lock_guard lock(mutex_);
    sums_.host_to_device_us += times.host_to_device_us;
    sums_.kernels_us += times.kernels_us;
    sums_.device_to_host_us += times.device_to_host_us;
    ++sums_.parts;
    if (progress_) progress_(sums_.parts, parts_);
  }

  [[nodiscard]] const HostSortTimes& sums() const noexcept { return sums_; }

 private:
  const std::uint64_t parts_;
  const ProgressFunction& progress_;
  std::mutex mutex_;
  HostSortTimes sums_{.parts = 0};  ///< guarded by mutex_
};

HostParts::HostParts(std::function<HostSortTimes(const HostCall&)> run, PartSizes sizes,
                     ProgressFunction progress, std::string scratch_folder)
    : run_(std::move(run)),
      sizes_(sizes),
      progress_(std::move(progress)),
      scratch_folder_(std::move(scratch_folder)) {}

HostSortTimes HostParts::run(const Problem& problem, const Operands& operands) const {
  const auto begin = std::chrono::steady_clock::now();
  Tally tally(part_count(problem, sizes_), progress_);
  if (problem.n <= sizes_.keys) {
    run_rows(problem, operands, tally);
  } else {
    Problem array = problem;
    array.rows = 1;
    for (std::uint64_t row = 0; row < problem.rows; ++row) {
      const Operands rest = from_row(problem, operands, row);
      if (selects(problem.operation)) {
        first_of_array(array, rest, tally);
      } else {
        sort_array(array, rest, tally);
      }
    }
  }
  HostSortTimes times = tally.sums();
  times.total_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  return times;
}

void HostParts::run_part(const Problem& problem, const Operands& operands, Tally& tally) const {
  HostRows rows(problem, operands);
  tally.add(run_(host_call(problem, operands, rows)));
  rows.unpack();
}

void HostParts::run_rows(const Problem& problem, const Operands& operands, Tally& tally) const {
  const std::uint64_t group = rows_at_once(problem, sizes_);
  at_once(count_of(problem.rows, group), sizes_.at_once, [&](std::uint64_t part) {
    Problem rows = problem;
    rows.rows = std::min(group, problem.rows - part * group);
    run_part(rows, from_row(problem, operands, part * group), tally);
  });
}

void HostParts::sort_keys(const Problem& problem, const StridedRuns& runs, const Operands& operands,
                          Tally& tally) const {
  const std::size_t bytes = size_of(problem.key);
  const auto* const in = static_cast<const std::byte*>(operands.input().data);
  auto* const out = static_cast<std::byte*>(operands[Role::keys_out].data);
  at_once(runs.runs(), sizes_.at_once, [&](std::uint64_t run) {
    std::vector<HostPiece> from;
    std::vector<HostRoom> to;
    const std::uint64_t n = runs.length(run);
    runs.for_blocks({0, n}, [&](std::uint64_t, const ElementRange& range) {
      const std::size_t begin = runs.index(run, range.begin) * bytes;
      from.push_back({in + begin, range.size() * bytes});
      to.push_back({out + begin, range.size() * bytes});
    });
    tally.add(run_(call_of_keys(problem, n, std::move(from), std::move(to))));
  });

  StridedMerge merge(runs, out, {problem.key, problem.order, false}, scratch_folder_,
                     std::max(std::thread::hardware_concurrency(), 1U));
  InOrder reading;
  at_once(runs.regions(), sizes_.at_once, [&](std::uint64_t region) {
    const ElementRange result = runs.region(region);
    HostCall call = call_of_keys(problem, result.size(), merge.pieces(region),
                                 {{out + result.begin * bytes, result.size() * bytes}});
    call.reading.begins = [&] { reading.begin(region); };
    call.reading.ends = [&] {
      merge.keep(region);
      reading.end();
    };
    try {
      tally.add(run_(call));
    } catch (...) {
      reading.fail();
      throw;
    }
  });
}

void HostParts::sort_array(const Problem& problem, const Operands& operands, Tally& tally) const {
  if (const auto runs = strided_runs_of(problem, sizes_.keys))
    return sort_keys(problem, *runs, operands, tally);
  const std::size_t key_bytes = size_of(problem.key);
  const Carried carried = carried_of(problem);
  const HostScratch keys(problem.n * key_bytes, scratch_folder_);
  const HostScratch values(problem.n * carried.bytes, scratch_folder_);
  const std::uint64_t parts = count_of(problem.n, sizes_.keys);
  std::vector<ElementRange> runs;
  for (std::uint64_t part = 0; part < parts; ++part) {
    runs.push_back({part * sizes_.keys, std::min((part + 1) * sizes_.keys, problem.n)});
  }

  at_once(parts, sizes_.at_once, [&](std::uint64_t part) {
    const ElementRange& run = runs[part];
    Problem one = problem;
    one.n = run.size();
    one.operation = facts_of(one.operation).with_keys;  // its keys are needed
    Operands memory;
    memory[Role::keys_in] = behind(operands.input(), run.begin, key_bytes);
    memory[Role::keys_out] = {keys.data() + run.begin * key_bytes, run.size(), run.size()};
    memory[Role::values_in] = behind(operands.input_values(), run.begin, problem.value_bytes);
    if (carried.bytes != 0) {
      memory[carried.out] = {values.data() + run.begin * carried.bytes, run.size(), run.size()};
    }
    run_part(one, memory, tally);
    if (problem.index_bytes != 0) {
      move_indices(values.data() + run.begin * carried.bytes, run.size(), run.begin, problem.index_bytes);
    }
  });

  SharedCuts cuts(keys.data(), runs, {problem.key, problem.order, carried.bytes != 0});
  at_once(parts, sizes_.at_once, [&](std::uint64_t part) {
    const ElementRange& result = runs[part];
    const auto& begins = cuts.before(part);
    const auto& ends = cuts.before(part + 1);
    Problem one = problem;
    one.n = result.size();
    one.operation = carried.bytes != 0 ? Operation::sort_pairs : Operation::sort;
    one.value_bytes = carried.bytes;
    one.index_bytes = 0;
    HostCall call{.problem = one, .arrays = {}, .reading = {}};
    const auto add = [&](Role role, Role to, const HostScratch& from, std::size_t bytes) {
      HostArray memory;
      memory.bytes = result.size() * bytes;
      for (std::uint64_t run = 0; run < parts; ++run) {
        if (ends[run] > begins[run]) {
          memory.from.push_back({from.data() + begins[run] * bytes, (ends[run] - begins[run]) * bytes});
        }
      }
      void* const room = behind(operands[to], result.begin, bytes).data;
      if (room != nullptr) memory.to.push_back({room, memory.bytes});
      call.arrays.push_back({role, std::move(memory), result.size(), result.size()});
    };
    add(Role::keys_out, Role::keys_out, keys, key_bytes);
    if (carried.bytes != 0) add(Role::values_out, carried.out, values, carried.bytes);
    tally.add(run_(call));
  });
}

void HostParts::first_of_array(const Problem& problem, const Operands& operands, Tally& tally) const {
  const std::size_t key_bytes = size_of(problem.key);
  const Carried carried = carried_of(problem);
  const std::uint64_t parts = count_of(problem.n, sizes_.keys);
  std::vector<std::uint64_t> begins{0};  // of each part's firsts
  for (std::uint64_t part = 0; part < parts; ++part) {
    begins.push_back(begins.back() + std::min({problem.k, sizes_.keys, problem.n - part * sizes_.keys}));
  }
  const std::uint64_t candidates = begins.back();
  if (candidates > sizes_.keys || operands[Role::lengths].data != nullptr) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format("'{}' does not fit the device's memory, and in parts of {} keys {}: ask for fewer, or "
                    "sort",
                    text_of(problem), sizes_.keys,
                    candidates > sizes_.keys ? "the first of all parts do not fit either"
                                             : "lengths are not looked at"));
  }
  const HostScratch keys(candidates * key_bytes);
  const HostScratch values(candidates * carried.bytes);

  at_once(parts, sizes_.at_once, [&](std::uint64_t part) {
    const std::uint64_t first = part * sizes_.keys;
    const std::uint64_t k = begins[part + 1] - begins[part];
    Problem one = problem;
    one.n = std::min(sizes_.keys, problem.n - first);
    one.k = k;
    Operands memory;
    memory[Role::keys_in] = behind(operands.input(), first, key_bytes);
    memory[Role::values_in] = behind(operands.input_values(), first, problem.value_bytes);
    memory[Role::keys_out] = {keys.data() + begins[part] * key_bytes, k, k};
    std::byte* beside = values.data() + begins[part] * carried.bytes;
    if (carried.bytes != 0) memory[carried.out] = {beside, k, k};
    run_part(one, memory, tally);
    if (problem.index_bytes != 0) move_indices(beside, k, first, problem.index_bytes);
  });

  Problem last = problem;
  last.n = candidates;
  last.value_bytes = carried.bytes;
  last.index_bytes = 0;
  const HostScratch unasked(operands[Role::keys_out].data == nullptr ? problem.k * key_bytes : 0);
  Operands memory;
  memory[Role::keys_in] = {keys.data(), candidates, candidates};
  memory[Role::keys_out] = operands[Role::keys_out];
  if (unasked.data() != nullptr) memory[Role::keys_out] = {unasked.data(), problem.k, problem.k};
  if (carried.bytes != 0) {
    memory[Role::values_in] = {values.data(), candidates, candidates};
    memory[Role::values_out] = operands[carried.out];
  }
  run_part(last, memory, tally);
}

}  // namespace bitune
