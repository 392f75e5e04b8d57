#pragma once

/// \file
/// Candidates and devices for the tests of selection.

#include <array>
#include <string>

#include "runtime/selection_ladder.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune::selecting {

inline constexpr std::uint64_t one = 1;

inline const fake::Variant simple("simple");
inline const fake::Variant fancy("fancy");
inline const std::array<const Variant*, 2> both = {&simple, &fancy};

/// Digest of the kernels of today, whatever the variant.
inline std::string today(std::string_view) { return "today"; }

inline DeviceInfo gpu(int major = 9, int minor = 0, int sms = 132) {
  DeviceInfo info;
  info.name = "GPU";
  info.compute_major = major;
  info.compute_minor = minor;
  info.sm_count = sms;
  return info;
}

inline DeviceInfo emulated() {
  DeviceInfo info = gpu();
  info.kind = "emulated";
  return info;
}

/// A trial of "simple(tile=...)", so that the tile tells which candidate was selected.
inline Candidate trial(int tile, const DeviceInfo& device, const Problem& problem, double median_us = 10) {
  Candidate candidate;
  candidate.trial_id = tile;
  candidate.device = device;
  candidate.device_digest = device.digest();
  candidate.problem = problem;
  candidate.configuration = {"simple", {{"tile", tile}}};
  candidate.kernel_digest = "today";
  candidate.median_us = median_us;
  return candidate;
}

inline Problem u32(std::uint64_t n, std::uint64_t rows = 1) {
  return {{.key = KeyType::u32}, {.n = n, .rows = rows}};
}

inline Problem with_key(Problem problem, KeyType key) {
  problem.key = key;
  return problem;
}
inline Problem with_order(Problem problem, Order order) {
  problem.order = order;
  return problem;
}
inline Candidate of_variant(Candidate candidate, const std::string& variant) {
  candidate.configuration.variant = variant;
  return candidate;
}
inline Candidate of_kernels(Candidate candidate, const std::string& digest) {
  candidate.kernel_digest = digest;
  return candidate;
}

}  // namespace bitune::selecting
