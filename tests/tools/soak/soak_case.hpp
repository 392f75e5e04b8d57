#pragma once

/// \file
/// The random problems of the soak: each is drawn from the seed and its number alone.

#include <array>
#include <cstdint>
#include <string>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/inputs.hpp"
#include "measure/segments.hpp"

namespace bitune::soak {

/// How large problems may become.
struct Limits {
  std::uint64_t keys = std::uint64_t{1} << 20;  ///< of a problem, in all
  std::uint64_t group = 16;                     ///< problems that follow each other and share their kernels
  bool segments = false;                        ///< only such
};

/// Whose memory a call is given.
enum class Memory : std::uint8_t { device, host };

/// One call, and where its arrays lie.
struct Case {
  Problem problem;
  Distribution distribution = Distribution::random;
  std::uint64_t data_seed = 0;
  Lengths lengths = Lengths::uniform;  ///< of segments
  bool segment_gaps = false;           ///< between segments, whose ends are given then
  Memory memory = Memory::device;
  bool keys_in_place = false;
  bool values_in_place = false;
  bool leaves_keys_out = false;  ///< a top_k of indices alone
  bool names_input = false;      ///< in place, the input is named too
  bool gives_workspace = false;
  std::array<std::uint64_t, role_count> gaps = {};     ///< elements between one row and the next
  std::array<std::uint64_t, role_count> offsets = {};  ///< elements from an aligned address to the first row
};

/// The problem with this number. Groups of problems have one operation, types, order and scale of lengths, so
/// that kernels are not compiled for each. The rest is each one's own.
[[nodiscard]] Case draw_case(std::uint64_t seed, std::uint64_t number, const Limits& limits);

/// Where the segments of a case lie. Precondition: it has such.
[[nodiscard]] Segments segments_of(const Case& one);

/// "argsort f32 ... on special keys, in place, rows with gaps, ..."
[[nodiscard]] std::string text_of(const Case& one);

}  // namespace bitune::soak
