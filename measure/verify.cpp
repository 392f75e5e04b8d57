#include "measure/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "measure/guarded_image.hpp"

namespace bitune {
namespace {

constexpr std::uint32_t compare_threads = 128;
constexpr std::uint64_t words_per_thread = 32;
constexpr std::size_t max_cases = all_distributions.size() + 3;

KernelSource compare_source(std::size_t key_size) {
  return {"kernels/measure/compare.cuh",
          fmt::format("bitune::compare_words<bitune::u{}, {}>", 8 * key_size, compare_threads)};
}

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

/// One run of the plan, and what it must come to.
struct Verifier::Case {
  Distribution distribution = Distribution::random;
  std::size_t offset = 0;  ///< bytes behind an aligned address
  bool separate_input = false;
  const GuardedLayout* layout = nullptr;
  const void* input = nullptr;
  const void* expected = nullptr;
  std::string remark;  ///< what is special about it, for people
};

Verifier::Verifier(const Device& device, KernelStore& kernels, std::size_t key_size)
    : device_(device),
      key_size_(key_size),
      compare_(kernels.get(compare_source(key_size)).kernel),
      counters_(device.allocate(max_cases * sizeof(std::uint64_t))) {}

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

  // Shifted by one key, the keys have the least alignment that a caller may give them.
  cases.push_back(packed(Distribution::random));
  cases.back().offset = key_size_;
  cases.back().remark = fmt::format(" aligned to {} bytes only", key_size_);
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
                     .remark = " in rows with gaps between them"});
  }
  return cases;
}

void Verifier::compare(const void* actual, const void* expected, const GuardedLayout& layout,
                       std::size_t counter, Stream stream) const {
  const std::uint64_t words = layout.bytes() / key_size_;
  Launch launch;
  launch.block = {compare_threads, 1, 1};
  const std::uint64_t blocks = words / (compare_threads * words_per_thread) + 1;
  launch.grid = {static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, 4096)), 1, 1};
  const std::array<std::uint64_t, 4> arguments = {
      slot(actual), slot(expected), words,
      slot(static_cast<std::byte*>(counters_->data()) + counter * sizeof(std::uint64_t))};
  device_.launch(*compare_, launch, arguments, stream);
}

void Verifier::run_case(const Case& one, const ExecutablePlan& plan, const ProblemData& data,
                        std::size_t counter, void* workspace, Stream stream) {
  const GuardedLayout& layout = *one.layout;
  std::byte* image = data.work() + one.offset;
  Operands operands;
  operands[Role::keys_out] = layout.operand(image);
  operands[Role::workspace] = {workspace, plan.plan().workspace_bytes, 0};
  if (one.separate_input) {
    if (!separate_input_ || separate_input_->size() < layout.bytes()) {
      separate_input_.reset();
      separate_input_ = device_.allocate(layout.bytes());
    }
    device_.copy_on_device(separate_input_->data(), one.input, layout.bytes(), stream);
    device_.fill(image, GuardedLayout::guard_value, layout.bytes(), stream);
    operands[Role::keys_in] = layout.operand(separate_input_->data());
  } else {
    device_.copy_on_device(image, one.input, layout.bytes(), stream);
  }
  plan.run(operands, stream);
  compare(image, one.expected, layout, counter, stream);
  if (one.separate_input) compare(separate_input_->data(), one.input, layout, counter, stream);
}

std::optional<std::string> Verifier::check(const ExecutablePlan& plan, const ProblemData& data,
                                           void* workspace, Stream stream) {
  const std::vector<Case> cases = cases_of(plan, data);
  device_.fill(counters_->data(), 0, counters_->size(), stream);
  for (std::size_t i = 0; i < cases.size(); ++i) run_case(cases[i], plan, data, i, workspace, stream);
  std::array<std::uint64_t, max_cases> mismatches{};
  device_.copy_to_host(mismatches.data(), counters_->data(), counters_->size(), stream);
  device_.synchronize(stream);

  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (mismatches[i] == 0) continue;
    // The images of earlier cases are gone: run it again to say what is wrong with it.
    run_case(cases[i], plan, data, i, workspace, stream);
    return describe(cases[i], data, stream);
  }
  return std::nullopt;
}

GuardedImage Verifier::download(const void* image, const GuardedLayout& layout, Stream stream) const {
  GuardedImage result(layout);
  device_.copy_to_host(result.bytes().data(), image, layout.bytes(), stream);
  device_.synchronize(stream);
  return result;
}

std::string Verifier::describe(const Case& one, const ProblemData& data, Stream stream) const {
  const std::string input = fmt::format("on {} keys{}: ", name_of(one.distribution), one.remark);
  const GuardedImage before = download(one.input, *one.layout, stream);
  if (one.separate_input && download(separate_input_->data(), *one.layout, stream) != before) {
    return input + "wrote to its input";
  }
  const GuardedImage after = download(data.work() + one.offset, *one.layout, stream);
  return input +
         find_fault_of_keys(data.problem(), before, after).value_or("wrong, but not each time: a race");
}

}  // namespace bitune
