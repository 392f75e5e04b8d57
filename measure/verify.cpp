#include "measure/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "measure/call_image.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::uint32_t compare_threads = 128;
constexpr std::uint64_t words_per_thread = 32;
constexpr std::size_t max_cases = all_distributions.size() + 3;

/// Elements may be aligned to their own size only; there is no word of 16 bytes.
std::size_t word_bytes_for(std::size_t element_bytes) { return std::min<std::size_t>(element_bytes, 8); }

KernelSource compare_source(std::size_t word_bytes) {
  return {"kernels/measure/compare.cuh",
          fmt::format("bitune::compare_words<bitune::u{}, {}>", 8 * word_bytes, compare_threads)};
}

/// Of all arrays that a call of the problem may have.
std::vector<std::size_t> compared_words(const Problem& problem) {
  std::vector<std::size_t> words;
  for (const CallArray& array : arrays_of(problem)) words.push_back(word_bytes_for(array.element_bytes));
  if (problem.ragged) words.insert(words.end(), {4, 8});  // offsets and ends
  return words;
}

std::byte* part_of(const void* image, const CallLayout::Part& part, std::uint64_t shift = 0) {
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(image));
  return bytes + part.begin + shift * part.array.element_bytes;
}

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

/// One run of the plan, and what it must come to.
struct Verifier::Case {
  Distribution distribution = Distribution::random;
  std::uint64_t shift = 0;  ///< elements behind an aligned address, of each array
  bool separate_input = false;
  const CallLayout* layout = nullptr;
  const void* input = nullptr;
  const void* expected = nullptr;
  std::string remark;  ///< what is special about it, for people
};

bool Verifier::is_ready_for(const Problem& problem) const {
  const std::vector<std::size_t> words = compared_words(problem);
  return std::all_of(words.begin(), words.end(),
                     [this](std::size_t bytes) { return compare_.contains(bytes); });
}

void Verifier::prepare(const Problem& problem) {
  if (!counters_) counters_ = device_.allocate(max_cases * sizeof(std::uint64_t));
  for (const std::size_t bytes : compared_words(problem)) {
    if (!compare_.contains(bytes)) compare_[bytes] = kernels_.get(compare_source(bytes)).kernel;
  }
}

std::vector<Verifier::Case> Verifier::cases_of(const ExecutablePlan& plan, const ProblemData& data) const {
  const auto packed = [&](Distribution distribution) {
    return Case{.distribution = distribution,
                .layout = &data.layout(),
                .input = data.input(distribution),
                .expected = data.expected(distribution),
                .remark = {}};
  };
  std::vector<Case> cases;
  for (const Distribution distribution : data.verified()) cases.push_back(packed(distribution));

  // Shifted by one element, arrays have the least alignment that a caller may give them.
  cases.push_back(packed(Distribution::random));
  cases.back().shift = 1;
  const std::size_t key_size = size_of(data.problem().key);
  cases.back().remark = cases.back().layout->parts().size() == 1
                            ? fmt::format(" aligned to {} bytes only", key_size)
                            : " in arrays aligned to their elements only";
  const bool out_of_place = plan.plan().out_of_place;
  if (out_of_place) {
    cases.push_back(packed(Distribution::random));
    cases.back().separate_input = true;
    cases.back().remark = " sorted out of place";
  }
  if (data.has_gapped()) {
    cases.push_back({.distribution = Distribution::random,
                     .separate_input = out_of_place,
                     .layout = &data.gapped_layout(),
                     .input = data.gapped_input(),
                     .expected = data.gapped_expected(),
                     .remark = data.problem().ragged ? " in segments with gaps between them"
                                                     : " in rows with gaps between them"});
  }
  return cases;
}

void Verifier::compare(const void* actual, const void* expected, const GuardedLayout& layout,
                       std::size_t counter, Stream stream) {
  const std::size_t word_bytes = word_bytes_for(layout.element_bytes);
  const std::uint64_t words = layout.bytes() / word_bytes;
  Launch launch;
  launch.block = {compare_threads, 1, 1};
  const std::uint64_t blocks = words / (compare_threads * words_per_thread) + 1;
  launch.grid = {static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, 4096)), 1, 1};
  const std::array<std::uint64_t, 4> arguments = {
      slot(actual), slot(expected), words,
      slot(static_cast<std::byte*>(counters_->data()) + counter * sizeof(std::uint64_t))};
  device_.launch(*compare_.at(word_bytes), launch, arguments, stream);
}

void Verifier::run_case(const Case& one, const ExecutablePlan& plan, const ProblemData& data,
                        std::size_t counter, void* workspace, Stream stream) {
  const CallLayout& layout = *one.layout;
  if (one.separate_input && (!separate_input_ || separate_input_->size() < layout.input_bytes())) {
    separate_input_.reset();
    separate_input_ = device_.allocate(layout.input_bytes());
  }
  Operands operands;
  operands[Role::workspace] = {workspace, plan.plan().workspace_bytes, 0};
  for (const CallLayout::Part& part : layout.parts()) {
    const CallArray& array = part.array;
    std::byte* const place = part_of(data.work(), part, one.shift);
    const bool is_apart = one.separate_input && array.in && array.out;
    if (array.in) {
      std::byte* const in = is_apart ? part_of(separate_input_->data(), part) : place;
      device_.copy_on_device(in, part_of(one.input, part), part.layout.bytes(), stream);
      if (is_apart || !array.out) operands[*array.in] = part.layout.operand(in);
    }
    if (is_apart || !array.in) {
      device_.fill(place, GuardedLayout::guard_value, part.layout.bytes(), stream);
    }
    if (array.out) operands[*array.out] = part.layout.operand(place);
  }
  plan.run(operands, stream);
  for (const CallLayout::Part& part : layout.parts()) {
    const GuardedLayout& rows = part.layout;
    compare(part_of(data.work(), part, one.shift), part_of(one.expected, part), rows, counter, stream);
    if (one.separate_input && part.array.in && part.array.out) {
      compare(part_of(separate_input_->data(), part), part_of(one.input, part), rows, counter, stream);
    }
  }
}

std::vector<std::uint64_t> Verifier::read_counters(Stream stream) const {
  std::vector<std::uint64_t> mismatches(max_cases);
  device_.copy_to_host(mismatches.data(), counters_->data(), counters_->size(), stream);
  device_.synchronize(stream);
  return mismatches;
}

std::optional<std::string> Verifier::check(const ExecutablePlan& plan, const ProblemData& data,
                                           void* workspace, Stream stream) {
  // No plan does anything then: engines write what a single key has with it themselves.
  if (data.problem().n < 2 && !selects(data.problem().operation) && !sorts_keys_alone(data.problem())) {
    return std::nullopt;
  }
  prepare(data.problem());
  const std::vector<Case> cases = cases_of(plan, data);
  device_.fill(counters_->data(), 0, counters_->size(), stream);
  if (!has_one_result(data.problem())) {
    // What differs may be right: it is looked at before the next case takes its place.
    for (std::size_t i = 0; i < cases.size(); ++i) {
      run_case(cases[i], plan, data, i, workspace, stream);
      if (read_counters(stream)[i] == 0) continue;
      if (auto fault = find_fault_of(cases[i], data, stream)) return fault;
    }
    return std::nullopt;
  }

  for (std::size_t i = 0; i < cases.size(); ++i) run_case(cases[i], plan, data, i, workspace, stream);
  const std::vector<std::uint64_t> mismatches = read_counters(stream);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (mismatches[i] == 0) continue;
    // The images of earlier cases are gone: run it again to say what is wrong with it.
    run_case(cases[i], plan, data, i, workspace, stream);
    if (auto fault = find_fault_of(cases[i], data, stream)) return fault;
    return fmt::format("on {} keys{}: wrong, but not each time: a race", name_of(cases[i].distribution),
                       cases[i].remark);
  }
  return std::nullopt;
}

std::optional<std::string> Verifier::find_fault_of(const Case& one, const ProblemData& data,
                                                   Stream stream) const {
  const CallLayout& layout = *one.layout;
  std::vector<std::byte> before(layout.input_bytes());
  std::vector<std::byte> separate(one.separate_input ? layout.input_bytes() : 0);
  std::vector<std::byte> after(layout.bytes());
  for (const CallLayout::Part& part : layout.parts()) {
    const std::uint64_t bytes = part.layout.bytes();
    device_.copy_to_host(part_of(after.data(), part), part_of(data.work(), part, one.shift), bytes, stream);
    if (!part.array.in) continue;
    device_.copy_to_host(part_of(before.data(), part), part_of(one.input, part), bytes, stream);
    if (one.separate_input && part.array.out) {
      device_.copy_to_host(part_of(separate.data(), part), part_of(separate_input_->data(), part), bytes,
                           stream);
    }
  }
  device_.synchronize(stream);

  const std::string input = fmt::format("on {} keys{}: ", name_of(one.distribution), one.remark);
  for (const CallLayout::Part& part : layout.parts()) {
    if (!one.separate_input || !part.array.in || !part.array.out) continue;
    const std::byte* const found = part_of(separate.data(), part);
    if (!std::equal(found, found + part.layout.bytes(), part_of(before.data(), part))) {
      return input + "wrote to its input";
    }
  }
  if (const auto fault = find_fault_of_call(data.problem(), layout, before, after)) return input + *fault;
  return std::nullopt;
}

}  // namespace bitune
