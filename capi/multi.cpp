// Sorting over several devices.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/multi.hpp"
#include "capi/call.hpp"
#include "capi/structs.hpp"

namespace bitune::capi {
namespace {

static_assert(equal_part == BITUNE_EQUAL_PART);

/// A bitune_multi_sorter is a MultiSorter, and stays without a definition as a bitune_sorter does.
MultiSorter& checked(bitune_multi_sorter* sorter) {
  require(sorter, "sorter");
  return *reinterpret_cast<MultiSorter*>(sorter);
}

/// The names between commas.
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

MultiOptions options_from(const bitune_multi_options* given) {
  require(given, "options");
  const auto read =
      read_struct<bitune_multi_options>(*given, BITUNE_MULTI_OPTIONS_INIT, "bitune_multi_options");
  MultiOptions options;
  if (*text_or_empty(read.devices) != '\0') options.devices = names_in(read.devices);
  options.database = text_or_empty(read.database);
  options.kernel_cache = text_or_empty(read.kernel_cache);
  if (read.time_limit_ms != 0) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40U;  // that nothing overflows
    options.time_limit = std::chrono::milliseconds(std::min(read.time_limit_ms, most));
  }
  options.communicator = read.communicator;
  return options;
}

/// What is done with the parts, whose lengths they tell themselves.
SortSpec spec_from(const bitune_problem* given) {
  const Problem problem = problem_from(given);
  if (problem.rows != 1 || problem.ragged) {
    throw Error(ErrorCode::usage, "bitune_problem: over several devices one array is sorted, so rows is 1");
  }
  return problem;
}

std::vector<MultiPart> parts_from(const bitune_multi_part* given, std::size_t count) {
  if (count != 0) require(given, "parts");
  std::vector<MultiPart> parts;
  const auto* at = reinterpret_cast<const std::byte*>(given);
  for (std::size_t rank = 0; rank < count; ++rank, at += given->size) {
    const auto read = read_struct<bitune_multi_part>(*reinterpret_cast<const bitune_multi_part*>(at),
                                                     BITUNE_MULTI_PART_INIT, "bitune_multi_part");
    MultiPart& part = parts.emplace_back();
    if (read.operands != nullptr) part.operands = operands_from(read.operands);
    part.n = read.n;
    part.result = read.result;
    part.stream = read.stream;
  }
  return parts;
}

/// For results that may be asked for. All have the size of the first.
void check_results(const bitune_multi_result* results) {
  if (results != nullptr) check_size(results, results->size, results->size, "bitune_multi_result");
}

void write(const std::vector<MultiResult>& from, bitune_multi_result* results) {
  if (results == nullptr) return;
  const std::size_t size = results->size;
  auto* at = reinterpret_cast<std::byte*>(results);
  for (const MultiResult& one : from) {
    const bitune_multi_result all = {
        size,         one.first,       one.count,    one.received_bytes,    one.sort_us,
        one.split_us, one.exchange_us, one.merge_us, one.host_to_device_us, one.device_to_host_us,
        one.total_us};
    std::memcpy(at, &all, std::min(size, sizeof(all)));
    at += size;
  }
}

}  // namespace
}  // namespace bitune::capi

using namespace bitune::capi;  // NOLINT(google-build-using-namespace): what follows is C's

extern "C" {

bitune_status bitune_multi_sorter_create(const bitune_multi_options* options, bitune_multi_sorter** sorter) {
  return guarded([&] {
    require(sorter, "sorter");
    *sorter = nullptr;
    *sorter = reinterpret_cast<bitune_multi_sorter*>(
        std::make_unique<bitune::MultiSorter>(options_from(options)).release());
  });
}

void bitune_multi_sorter_destroy(bitune_multi_sorter* sorter) {
  delete reinterpret_cast<bitune::MultiSorter*>(sorter);
}

bitune_status bitune_multi_ranks(bitune_multi_sorter* sorter, size_t* ranks) {
  return guarded([&] {
    require(ranks, "ranks");
    *ranks = static_cast<size_t>(checked(sorter).ranks());
  });
}

bitune_status bitune_multi_first_rank(bitune_multi_sorter* sorter, size_t* rank) {
  return guarded([&] {
    require(rank, "rank");
    *rank = static_cast<size_t>(checked(sorter).first_rank());
  });
}

bitune_status bitune_multi_sum(bitune_multi_sorter* sorter, uint64_t number, uint64_t* sum) {
  return guarded([&] {
    require(sum, "sum");
    *sum = checked(sorter).sum(number);
  });
}

bitune_status bitune_multi_run(bitune_multi_sorter* sorter, const bitune_problem* problem,
                               const bitune_multi_part* parts, size_t count, bitune_multi_result* results) {
  return guarded([&] {
    check_results(results);
    write(checked(sorter).run(spec_from(problem), parts_from(parts, count)), results);
  });
}

bitune_status bitune_multi_run_host(bitune_multi_sorter* sorter, const bitune_problem* problem,
                                    const bitune_operands* operands, bitune_multi_result* results) {
  return guarded([&] {
    check_results(results);
    write(checked(sorter).run_host(problem_from(problem), operands_from(operands)), results);
  });
}

bitune_status bitune_multi_workspace_size(bitune_multi_sorter* sorter, const bitune_problem* problem,
                                          size_t rank, uint64_t n, uint64_t result, uint64_t* bytes) {
  return guarded([&] {
    require(bytes, "bytes");
    bitune::MultiSorter& all = checked(sorter);
    if (rank >= static_cast<size_t>(all.ranks())) {
      throw bitune::Error(bitune::ErrorCode::usage,
                          fmt::format("rank is {}; there are {}", rank, all.ranks()));
    }
    *bytes = all.workspace_size(spec_from(problem), n, result, static_cast<int>(rank));
  });
}

}  // extern "C"
