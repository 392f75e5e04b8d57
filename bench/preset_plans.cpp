#include "bench/preset_plans.hpp"

#include <fmt/format.h>

#include <array>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

constexpr std::string_view fraidakis = "Fraidakis 2025, A GPU Bitonic Sort Implementation using CUDA";
constexpr std::string_view daskalopoulos = "Daskalopoulos 2025";
constexpr std::string_view michalainas = "Michalainas & Charisi 2025";
constexpr std::string_view all_three = "Fraidakis 2025; Daskalopoulos 2025; Michalainas & Charisi 2025";
constexpr std::string_view mccarville = "McCarville, CS 7295 project 2";
constexpr std::string_view capin = "\u0106apin, SYCL-Based Bitonic Sorting";

constexpr std::string_view naive =
    "global(block_fusion=0,block_size_x={},blocks_per_sm=0,loop_unroll_factor_pairs=1,steps_per_pass=1,"
    "thread_per_element=1,vector_width=1)";

Configuration naive_with(int threads) {
  return Configuration::parse(fmt::format(fmt::runtime(naive), threads));
}

const std::array<Preset, 10>& table() {
  static const std::array<Preset, 10> all = {{
      {"v0",
       "one launch a step, one thread an element: the lower of a pair compares and exchanges in global "
       "memory",
       fraidakis, "", naive_with(1024), 0, false},
      {"v0-half", "one launch a step, n/2 threads: index arithmetic gives every thread a pair", daskalopoulos,
       "a thread stores its pair whether or not it was exchanged",
       Configuration::parse(
           "global(block_fusion=0,block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,"
           "steps_per_pass=1,thread_per_element=0,vector_width=1)"),
       0, false},
      {"v0-mirror",
       "one launch a step, n/2 threads: the upper partner does the mirrored pair in the array's second half",
       michalainas, "",
       Configuration::parse("classic(block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,pairing=2,"
                            "readonly_loads=0,tile_size=0,vector_width=1,warp_shuffles=0)"),
       0, false},
      {"v1", "steps within a block's keys fused into one launch, in global memory; larger distances as v0",
       all_three, "",
       Configuration::parse(
           "global(block_fusion=1,block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,"
           "steps_per_pass=1,thread_per_element=1,vector_width=1)"),
       0, false},
      {"v2", "as v1, with a block's keys (two a thread) in shared memory", all_three, "",
       Configuration::parse("classic(block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,pairing=0,"
                            "readonly_loads=0,tile_size=2048,vector_width=1,warp_shuffles=0)"),
       0, false},
      {"v3", "as v2, with steps inside a warp on registers by shuffles, n/2 threads, and pinned host memory",
       fraidakis, "",
       Configuration::parse("classic(block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,pairing=1,"
                            "readonly_loads=0,tile_size=2048,vector_width=1,warp_shuffles=1)"),
       0, true},
      {"hybrid-16k",
       "tiles of 16384 keys in shared memory, 1024 threads, 128-bit read-only loads; larger distances by a "
       "grid that "
       "strides, 8 pairs unrolled a thread",
       mccarville,
       "missing keys up to a power of two are padding that kernels make up as they load, not memory that is "
       "filled; host "
       "memory is allocated page-locked rather than registered in place",
       Configuration::parse("classic(block_size_x=1024,blocks_per_sm=2,loop_unroll_factor_pairs=8,pairing=1,"
                            "readonly_loads=1,tile_size=16384,vector_width=4,warp_shuffles=0)"),
       0, true},
      {"local", "one work-group with the whole array in local memory", capin,
       "1024 threads stride over the array where a work-item had one element",
       Configuration::parse("classic(block_size_x=1024,blocks_per_sm=0,loop_unroll_factor_pairs=1,pairing=0,"
                            "readonly_loads=0,tile_size=8192,vector_width=1,warp_shuffles=0)"),
       8192, false},
      {"nd-128", "one launch a step in global memory, work-groups of 128, one thread an element", capin,
       "launches follow each other in the stream where the host waited for each", naive_with(128), 0, false},
      {"nd-256", "one launch a step in global memory, tiles (work-groups) of 256, one thread an element",
       capin, "", naive_with(256), 0, false},
  }};
  return all;
}

}  // namespace

std::span<const Preset> presets() { return table(); }

const Preset& preset(std::string_view name) {
  std::string known;
  for (const Preset& candidate : presets()) {
    if (candidate.name == name) return candidate;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", candidate.name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no preset '{}': the presets are {}", name, known));
}

std::optional<std::string> refusal(const Preset& preset, const Problem& problem, const DeviceInfo& device) {
  if (preset.most_keys > 0 && problem.n > preset.most_keys) {
    return fmt::format("the preset '{}' takes at most {} keys ({}); '{}' has more", preset.name,
                       preset.most_keys, preset.description, text_of(problem));
  }
  if (const auto why = refusal(preset.configuration, problem, device)) {
    return fmt::format("the preset '{}' does not run '{}' on {}: {}", preset.name, text_of(problem),
                       device.name, *why);
  }
  return std::nullopt;
}

}  // namespace bitune
