#include "multi/merge_tunings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "model/key_type.hpp"
#include "runtime/kernel_sources.hpp"

namespace bitune::multi {
namespace {

constexpr std::array<std::string_view, 4> fastest_first = {"itself", "nvlink", "pcie", unreached};

std::string_view slowest_link(std::span<const Device* const> devices) {
  std::size_t slowest = 0;
  for (const Device* one : devices) {
    for (const Device* other : devices) {
      const auto link = std::find(fastest_first.begin(), fastest_first.end(), one->link_to(*other));
      slowest = std::max(slowest, static_cast<std::size_t>(link - fastest_first.begin()));
    }
  }
  return fastest_first.at(slowest);
}

CopyRules rules_of(const Configuration& configuration) {
  CopyRules rules;
  rules.split_from_bytes = configuration.at("split") != 0 ? 0 : CopyRules::never;
  rules.halved_from_bytes = configuration.at("halved") != 0 ? 0 : CopyRules::never;
  rules.from_bytes = configuration.at("copied") != 0 ? 0 : CopyRules::never;
  rules.least_chunk_bytes = static_cast<std::uint64_t>(configuration.at("least_chunk_kib")) << 10U;
  return rules;
}

/// The bytes that each rank merges of u32 keys.
std::uint64_t merged_bytes(const Problem& problem, std::uint64_t ranks) {
  return problem.n * size_of(problem.key) / ranks;
}

double octaves(std::uint64_t a, std::uint64_t b) {
  return std::abs(std::log2(static_cast<double>(std::max<std::uint64_t>(a, 1)) /
                            static_cast<double>(std::max<std::uint64_t>(b, 1))));
}

}  // namespace

DeviceInfo facts_of_group(std::span<const Device* const> devices) {
  DeviceInfo facts = devices[0]->info();
  facts.kind += " group";
  const bool are_alike = std::all_of(devices.begin(), devices.end(), [&](const Device* device) {
    return device->info().name == devices[0]->info().name;
  });
  facts.name = fmt::format("{} x {}{}, {}", devices.size(), devices[0]->info().name,
                           are_alike ? "" : " and others", slowest_link(devices));
  return facts;
}

Configuration configuration_of(const CopyRules& rules) {
  const bool is_split = rules.split_from_bytes == 0;
  const bool is_halved = rules.halved_from_bytes == 0 && !is_split;
  const bool is_copied = rules.from_bytes == 0 && !is_split && !is_halved;
  return {std::string(link_variant),
          {{"split", is_split ? 1 : 0},
           {"halved", is_halved ? 1 : 0},
           {"copied", is_copied ? 1 : 0},
           {"least_chunk_kib", is_copied ? static_cast<std::int64_t>(rules.least_chunk_bytes >> 10U) : 0}}};
}

std::string link_kernel_digest() {
  return digest_of_headers(
      {"kernels/multi/merge_two_runs.cuh", "kernels/multi/split_keys.cuh", "kernels/multi/wanted_pass.cuh"});
}

MergeTunings::MergeTunings(const CandidateSet& candidates, const DeviceInfo& group, std::uint64_t ranks) {
  const std::string digest = group.digest();
  for (const auto* const source : {&candidates.user, &candidates.shipped}) {
    for (const Candidate& candidate : *source) {
      if (candidate.device_digest != digest || candidate.configuration.variant != link_variant) continue;
      if (!candidate.configuration.parameters.contains("halved"))
        continue;  // measured before there were halves
      tuned_.push_back({merged_bytes(candidate.problem, ranks), rules_of(candidate.configuration)});
    }
  }
}

CopyRules MergeTunings::rules_for(std::uint64_t bytes) const {
  // Of equally near ones the first: the user's.
  const auto nearest = std::min_element(tuned_.begin(), tuned_.end(), [&](const Tuned& a, const Tuned& b) {
    return octaves(a.bytes, bytes) < octaves(b.bytes, bytes);
  });
  return nearest == tuned_.end() ? CopyRules{} : nearest->rules;
}

}  // namespace bitune::multi
