#include "bench/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/comparison.hpp"
#include "bitune/error.hpp"
#include "measure/segments.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"

namespace bitune {
namespace {

constexpr std::array<std::string_view, 3> suite_names = {"single", "rows", "segments"};

std::string_view default_sizes(BenchSuite suite, bool emulated) {
  if (suite == BenchSuite::single) return emulated ? "2^8..2^12" : "2^8..2^28";
  if (suite == BenchSuite::segments) return emulated ? "16,100" : "16,100,1000,10000,100000";
  return emulated ? "16,100,256" : "16..65536,100";
}

/// How the keys lie that are compared, and how long segments are.
struct BenchShape {
  Shape shape;
  std::string lengths;
};

/// All sizes, each with all numbers of rows or segments.
std::vector<BenchShape> shapes_of(const BenchRequest& request, const DeviceInfo& device,
                                  const std::string& lengths) {
  const bool is_ragged = request.suite == BenchSuite::segments;
  if (is_ragged && is_file_of_lengths(lengths)) return {{shape_of_lengths(read_lengths(lengths)), lengths}};
  const bool emulated = device.kind != "cuda";
  const bool is_single = request.suite == BenchSuite::single;
  const std::uint64_t total = request.total != 0 ? request.total : std::uint64_t{1} << (emulated ? 12 : 26);
  std::vector<std::uint64_t> sizes = request.sizes;
  if (sizes.empty()) sizes = parse_sizes(default_sizes(request.suite, emulated));
  std::vector<BenchShape> shapes;
  for (const std::uint64_t n : sizes) {
    if (n < (is_single ? 2 : 1)) {
      throw Error(ErrorCode::usage, fmt::format("a bench of {} keys has nothing to sort: use {} or more", n,
                                                is_single ? 2 : 1));
    }
    std::vector<std::uint64_t> rows = {1};
    if (!is_single) rows = request.rows.empty() ? std::vector{rows_in_total(total, n)} : request.rows;
    for (const std::uint64_t count : rows) {
      if (count == 0) throw Error(ErrorCode::usage, "a bench of 0 rows has nothing to sort: use 1 or more");
      const std::uint64_t keys = key_count({{}, {.n = n, .rows = count}});
      shapes.push_back({{.n = is_ragged ? keys : n, .rows = count, .ragged = is_ragged}, lengths});
    }
  }
  return shapes;
}

struct BenchCase {
  Problem problem;
  std::string lengths;
};

/// What the suite compares: what is done to which keys, each with all shapes.
std::vector<BenchCase> cases_of(const BenchRequest& request, const DeviceInfo& device) {
  std::vector<BenchShape> shapes;
  const bool is_ragged = request.suite == BenchSuite::segments;
  for (const std::string& lengths : is_ragged ? request.lengths : std::vector<std::string>{""}) {
    const std::vector<BenchShape> of_lengths = shapes_of(request, device, lengths);
    shapes.insert(shapes.end(), of_lengths.begin(), of_lengths.end());
  }
  std::vector<BenchCase> cases;
  for (const SortSpec& spec : request.specs) {
    for (const auto& [shape, lengths] : shapes) {
      const Problem problem{spec, shape};
      if (!has_fitting_k(problem)) continue;
      cases.push_back({problem, lengths});
      static_cast<void>(key_bytes(problem));  // throws if it exceeds any memory
    }
  }
  if (cases.empty()) {
    throw Error(ErrorCode::usage, "no array of the bench has k keys: use larger sizes, or a smaller k");
  }
  return cases;
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
  const auto has = [&](Distribution distribution) {
    return std::find(request.distributions.begin(), request.distributions.end(), distribution) !=
           request.distributions.end();
  };
  if (has(Distribution::special)) {
    throw Error(ErrorCode::usage,
                "a bench has no keys of the distribution 'special': sorts differ in where they put NaNs");
  }
  // A merge sort that compares by < has no order then: what it does is not defined.
  const auto meets_nans = [&](const SortSpec& spec) {
    return is_floating_point(spec.key) && spec.operation != Operation::top_k;
  };
  if (has(Distribution::some_nan) && request.against != "none" &&
      std::any_of(request.specs.begin(), request.specs.end(), meets_nans)) {
    throw Error(ErrorCode::usage,
                "peers cannot sort NaNs: with the distribution 'some_nan' give --against none");
  }
  Comparison comparison(request);
  const std::vector<BenchCase> cases = cases_of(request, comparison.device().info());
  BenchResult result;
  BenchProgress now;
  now.count = cases.size() * request.distributions.size();
  for (const Distribution distribution : request.distributions) {
    for (const auto& [problem, lengths] : cases) {
      if (stop.load()) break;
      now.problem = problem;
      now.distribution = distribution;
      now.lengths = lengths;
      now.finished = nullptr;
      if (progress) progress(now);
      if (auto record = comparison.compare(problem, distribution, lengths)) {
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
