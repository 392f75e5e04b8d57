#include "bench/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/comparison.hpp"
#include "bitune/error.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::array<std::string_view, 2> suite_names = {"single", "rows"};

std::string_view default_sizes(BenchSuite suite, bool emulated) {
  if (suite == BenchSuite::single) return emulated ? "2^8..2^12" : "2^8..2^28";
  return emulated ? "16,100,256" : "16..65536,100";
}

/// The problems of the suite: what is done to which keys, each with all sizes, each with all numbers of rows.
std::vector<Problem> problems_of(const BenchRequest& request, const DeviceInfo& device) {
  const bool emulated = device.kind != "cuda";
  const bool of_rows = request.suite == BenchSuite::rows;
  const std::uint64_t total = request.total != 0 ? request.total : std::uint64_t{1} << (emulated ? 12 : 26);
  std::vector<std::uint64_t> sizes = request.sizes;
  if (sizes.empty()) sizes = parse_sizes(default_sizes(request.suite, emulated));
  std::vector<Problem> problems;
  for (const SortSpec& spec : request.specs) {
    for (const std::uint64_t n : sizes) {
      if (n < (of_rows ? 1 : 2)) {
        throw Error(ErrorCode::usage, fmt::format("a bench of {} keys has nothing to sort: use {} or more", n,
                                                  of_rows ? 1 : 2));
      }
      std::vector<std::uint64_t> rows = {1};
      if (of_rows) rows = request.rows.empty() ? std::vector{rows_in_total(total, n)} : request.rows;
      for (const std::uint64_t count : rows) {
        if (count == 0) throw Error(ErrorCode::usage, "a bench of 0 rows has nothing to sort: use 1 or more");
        const Problem problem{spec, {.n = n, .rows = count}};
        if (!has_fitting_k(problem)) continue;
        problems.push_back(problem);
        static_cast<void>(key_bytes(problems.back()));  // throws if it exceeds any memory
      }
    }
  }
  if (problems.empty()) {
    throw Error(ErrorCode::usage, "no array of the bench has k keys: use larger sizes, or a smaller k");
  }
  return problems;
}

}  // namespace

std::string_view name_of(BenchSuite suite) noexcept { return suite_names[static_cast<std::size_t>(suite)]; }

BenchSuite parse_bench_suite(std::string_view text) {
  const auto found = std::find(suite_names.begin(), suite_names.end(), text);
  if (found == suite_names.end()) {
    throw Error(ErrorCode::usage,
                fmt::format("unknown suite '{}': choose one of {}", text, fmt::join(suite_names, ", ")));
  }
  return static_cast<BenchSuite>(found - suite_names.begin());
}

BenchResult run_bench(const BenchRequest& request, const std::function<void(const BenchProgress&)>& progress,
                      const std::atomic<bool>& stop) {
  if (std::find(request.distributions.begin(), request.distributions.end(), Distribution::special) !=
      request.distributions.end()) {
    throw Error(ErrorCode::usage,
                "a bench has no keys of the distribution 'special': sorts differ in where they put NaNs");
  }
  Comparison comparison(request);
  const std::vector<Problem> problems = problems_of(request, comparison.device().info());
  BenchResult result;
  BenchProgress now;
  now.count = problems.size() * request.distributions.size();
  for (const Distribution distribution : request.distributions) {
    for (const Problem& problem : problems) {
      if (stop.load()) break;
      now.problem = problem;
      now.distribution = distribution;
      now.finished = nullptr;
      if (progress) progress(now);
      if (auto record = comparison.compare(problem, distribution)) {
        now.finished = &*record;
        if (progress) progress(now);
        result.records.push_back(std::move(*record));
      }
      ++now.index;
    }
  }
  result.peer_path = comparison.peer_path();
  result.note = comparison.note();
  return result;
}

}  // namespace bitune
