#include "tuner/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "model/key_order.hpp"

namespace bitune {
namespace {

constexpr std::uint32_t compare_threads = 128;
constexpr std::uint64_t words_per_thread = 32;
constexpr std::size_t max_cases = all_distributions.size() + 1;

KernelSource compare_source(std::size_t key_size) {
  return {"kernels/compare.cuh",
          fmt::format("bitune::compare_words<bitune::u{}, {}>", 8 * key_size, compare_threads)};
}

std::uint64_t slot(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

Verifier::Verifier(const Device& device, KernelStore& kernels, std::size_t key_size)
    : device_(device),
      key_size_(key_size),
      compare_(kernels.get(compare_source(key_size)).kernel),
      counters_(device.allocate(max_cases * sizeof(std::uint64_t))) {}

void Verifier::run_case(const ExecutablePlan& plan, const ProblemData& data, Distribution distribution,
                        std::size_t offset, std::size_t counter, void* workspace, StreamHandle stream) const {
  const ImageLayout& layout = data.layout();
  std::byte* image = data.work() + offset;
  device_.copy_on_device(image, data.input(distribution), layout.bytes(), stream);
  plan.run(image + ImageLayout::guard_bytes, workspace, stream);

  Launch launch;
  launch.block = {compare_threads, 1, 1};
  const std::uint64_t blocks = layout.words() / (compare_threads * words_per_thread) + 1;
  launch.grid = {static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, 4096)), 1, 1};
  const std::array<std::uint64_t, 4> arguments = {
      slot(image), slot(data.expected(distribution)), layout.words(),
      slot(static_cast<std::byte*>(counters_->data()) + counter * sizeof(std::uint64_t))};
  device_.launch(*compare_, launch, arguments, stream);
}

std::optional<std::string> Verifier::check(const ExecutablePlan& plan, const ProblemData& data,
                                           void* workspace, StreamHandle stream) const {
  struct Case {
    Distribution distribution;
    std::size_t offset;
  };
  std::vector<Case> cases;
  for (const Distribution distribution : data.verified()) cases.push_back({distribution, 0});
  // Shifted by one key, the keys have the least alignment that a caller may give them.
  cases.push_back({Distribution::random, key_size_});

  device_.fill(counters_->data(), 0, counters_->size(), stream);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    run_case(plan, data, cases[i].distribution, cases[i].offset, i, workspace, stream);
  }
  std::array<std::uint64_t, max_cases> mismatches{};
  device_.copy_to_host(mismatches.data(), counters_->data(), counters_->size(), stream);
  device_.synchronize(stream);

  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (mismatches[i] == 0) continue;
    // The images of earlier cases are gone: run it again to say what is wrong with it.
    run_case(plan, data, cases[i].distribution, cases[i].offset, i, workspace, stream);
    return describe(data, cases[i].distribution, cases[i].offset, stream);
  }
  return std::nullopt;
}

std::string Verifier::describe(const ProblemData& data, Distribution distribution, std::size_t offset,
                               StreamHandle stream) const {
  const ImageLayout& layout = data.layout();
  std::vector<std::byte> actual(layout.bytes());
  std::vector<std::byte> expected(layout.bytes());
  device_.copy_to_host(actual.data(), data.work() + offset, actual.size(), stream);
  device_.copy_to_host(expected.data(), data.expected(distribution), expected.size(), stream);
  device_.synchronize(stream);

  const std::string input =
      fmt::format("{} keys{}", name_of(distribution),
                  offset != 0 ? fmt::format(" aligned to {} bytes only", key_size_) : "");
  const auto keys = actual.begin() + ImageLayout::guard_bytes;
  const auto keys_end = keys + static_cast<std::ptrdiff_t>(layout.key_bytes);
  const bool front = std::equal(actual.begin(), keys, expected.begin());
  const bool back = std::equal(keys_end, actual.end(), expected.end() - ImageLayout::guard_bytes);
  if (!front || !back) {
    return fmt::format("on {}: wrote outside the array, {} it", input, front ? "behind" : "before");
  }

  std::uint64_t wrong = 0;
  std::uint64_t first = 0;
  for (std::uint64_t i = layout.key_bytes / key_size_; i-- > 0;) {
    const std::size_t at = ImageLayout::guard_bytes + i * key_size_;
    if (std::memcmp(actual.data() + at, expected.data() + at, key_size_) == 0) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return fmt::format("on {}: the result is wrong, but not each time: a race", input);
  return fmt::format("on {}: {} of {} keys differ from the reference, the first at index {}", input, wrong,
                     layout.key_bytes / key_size_, first);
}

}  // namespace bitune
