// Sorters and devices.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "bitune/bitune.hpp"
#include "bitune/error.hpp"
#include "capi/call.hpp"
#include "capi/structs.hpp"
#include "measure/documents.hpp"

namespace bitune::capi {
namespace {

/// A bitune_sorter is a Sorter. It stays without a definition, so that the ABI's description ends there.
Sorter& checked(bitune_sorter* sorter) {
  require(sorter, "sorter");
  return *reinterpret_cast<Sorter*>(sorter);
}

Json json_of(const Explanation& explanation) {
  return {{"configuration", explanation.configuration},
          {"match", explanation.match},
          {"reason", explanation.reason},
          {"expected_us", explanation.expected_us ? Json(*explanation.expected_us) : Json()},
          {"launches", explanation.launches},
          {"compiled_kernels", explanation.compiled_kernels},
          {"shipped_kernels", explanation.shipped_kernels},
          {"cached_kernels", explanation.cached_kernels},
          {"awaited", explanation.awaited}};
}

}  // namespace
}  // namespace bitune::capi

using namespace bitune::capi;  // NOLINT(google-build-using-namespace): what follows is C's

extern "C" {

bitune_status bitune_sorter_create(const bitune_sorter_options* options, bitune_sorter** sorter) {
  return guarded([&] {
    require(sorter, "sorter");
    *sorter = nullptr;
    bitune::SorterOptions wanted;
    if (options != nullptr) {
      const auto read =
          read_struct<bitune_sorter_options>(*options, BITUNE_SORTER_OPTIONS_INIT, "bitune_sorter_options");
      if (*text_or_empty(read.device) != '\0') wanted.device = read.device;
      wanted.database = text_or_empty(read.database);
      wanted.kernel_cache = text_or_empty(read.kernel_cache);
      if (read.stand_ins > 1 || read.reserved != 0) {
        throw bitune::Error(bitune::ErrorCode::usage,
                            fmt::format("bitune_sorter_options: stand_ins is {}, and reserved {}; they are "
                                        "0 or 1, and 0",
                                        read.stand_ins, read.reserved));
      }
      wanted.stand_ins = read.stand_ins != 0;
      wanted.device_memory = read.device_memory;
      wanted.scratch_folder = text_or_empty(read.scratch_folder);
    }
    *sorter = reinterpret_cast<bitune_sorter*>(std::make_unique<bitune::Sorter>(std::move(wanted)).release());
  });
}

void bitune_sorter_destroy(bitune_sorter* sorter) { delete reinterpret_cast<bitune::Sorter*>(sorter); }

bitune_status bitune_run(bitune_sorter* sorter, const bitune_problem* problem,
                         const bitune_operands* operands, void* stream) {
  return guarded([&] { checked(sorter).run(problem_from(problem), operands_from(operands), stream); });
}

bitune_status bitune_check_segments(bitune_sorter* sorter, const bitune_problem* problem,
                                    const bitune_operands* operands, void* stream) {
  return guarded(
      [&] { checked(sorter).check_segments(problem_from(problem), operands_from(operands), stream); });
}

bitune_status bitune_run_host(bitune_sorter* sorter, const bitune_problem* problem,
                              const bitune_operands* operands, bitune_host_times* times) {
  return guarded([&] {
    if (times != nullptr) check_size(times, times->size, times->size, "bitune_host_times");
    const bitune::HostSortTimes measured =
        checked(sorter).run_host(problem_from(problem), operands_from(operands));
    if (times == nullptr) return;
    const bitune_host_times all = {times->size, measured.host_to_device_us, measured.kernels_us,
                                   measured.device_to_host_us, measured.total_us};
    std::memcpy(times, &all, std::min(times->size, sizeof(all)));
  });
}

bitune_status bitune_prepare(bitune_sorter* sorter, const bitune_problem* problem) {
  return guarded([&] { checked(sorter).prepare(problem_from(problem)); });
}

bitune_status bitune_workspace_size(bitune_sorter* sorter, const bitune_problem* problem, uint64_t* bytes) {
  return guarded([&] {
    require(bytes, "bytes");
    *bytes = checked(sorter).workspace_size(problem_from(problem));
  });
}

bitune_status bitune_explain(bitune_sorter* sorter, const bitune_problem* problem, char** json) {
  return guarded([&] {
    require(json, "json");
    *json = nullptr;
    *json = text_for_caller(bitune::line_of(json_of(checked(sorter).explain(problem_from(problem)))));
  });
}

bitune_status bitune_device_name(bitune_sorter* sorter, char** text) {
  return guarded([&] {
    require(text, "text");
    *text = nullptr;
    *text = text_for_caller(checked(sorter).device());
  });
}

bitune_status bitune_devices(char** json) {
  return guarded([&] {
    require(json, "json");
    *json = nullptr;
    *json = text_for_caller(bitune::line_of(bitune::json_of(bitune::find_devices())));
  });
}

}  // extern "C"
