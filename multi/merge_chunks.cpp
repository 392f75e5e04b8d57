// What a merge copies from another device in chunks, while chunks that came before are merged.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/multi/merge_layout.hpp"
#include "multi/run_merge.hpp"

namespace bitune::multi {
namespace {

/// What a link carries while chunks are searched over it.
constexpr std::uint64_t ahead_bytes = std::uint64_t{16} << 20;

}  // namespace

std::vector<RunMerge::Borders> RunMerge::find_chunks(RankDevice& device, const std::vector<Pair>& pairs,
                                                     void* splits, Stream stream) const {
  std::vector<Borders> borders(pairs.size());
  bool are_any = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].copied.keys == nullptr) continue;
    find_borders(device, pairs[i], splits, stream);
    device.device().copy_to_host(borders[i].data(), splits, sizeof(Borders), stream);
    are_any = true;
  }
  if (!are_any) return {};
  device.device().synchronize(stream);
  return borders;
}

void RunMerge::merge_copied(RankDevice& device, const Pair& pair, const Borders& borders,
                            const Memory& memory, Stream stream) const {
  ChunkCopies& copies = *memory.copies;
  const std::uint64_t bytes = pair.kept * bytes_.sum();
  const auto chunks = std::clamp(static_cast<std::uint32_t>(std::bit_width(
                                     bytes / std::max<std::uint64_t>(rules_.least_chunk_bytes, 1))),
                                 1U, most_chunks);
  struct Chunk {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t first_begin;  // of the first run
    std::uint64_t first_end;

    [[nodiscard]] bool has_first() const noexcept { return first_begin != first_end; }
    [[nodiscard]] bool has_second() const noexcept { return end - begin != first_end - first_begin; }
  };
  std::vector<Chunk> all;
  for (std::uint32_t i = 0; i < chunks; ++i) {
    const bool is_last = i + 1 == chunks;
    const Chunk chunk{all.empty() ? 0 : all.back().end,
                      is_last ? pair.kept : layout::chunk_begin(pair.kept, i + 1, tile_), borders[i],
                      is_last ? borders.back() : borders[i + 1]};
    // What neighbours have of one run alone is one copy.
    const bool is_alike = !all.empty() && all.back().has_first() == chunk.has_first() &&
                          all.back().has_second() == chunk.has_second();
    if (is_alike && chunk.has_first() != chunk.has_second()) {
      all.back().end = chunk.end;
      all.back().first_end = chunk.first_end;
    } else {
      all.push_back(chunk);
    }
  }

  const FarPiece first = far_piece(pair, pair.first, borders.front(), pair.copied);
  const FarPiece second =
      far_piece(pair, pair.second, pair.skipped - borders.front(),
                pair.first.is_near ? pair.copied : at(pair.copied, borders.back() - borders.front()));
  for (const Chunk& chunk : all) {
    Pair part{.first = part_of(pair.first, chunk.first_begin, chunk.first_end - chunk.first_begin),
              .second = {},
              .skipped = 0,
              .kept = chunk.end - chunk.begin,
              .to = at(pair.to, chunk.begin)};
    const std::uint64_t second_begin = pair.skipped + chunk.begin - chunk.first_begin;
    part.second = part_of(pair.second, second_begin, part.kept - part.first.length);
    if (!chunk.has_first() || !chunk.has_second()) {
      const MergedRun& run = chunk.has_first() ? part.first : part.second;
      if (run.is_near) {
        copy(device.device(), part.to, run, stream);
      } else if (chunk.has_first()) {
        copy_piece(device.device(), first, chunk.first_begin, run.length, part.to, copies.stream());
      } else {
        copy_piece(device.device(), second, second_begin, run.length, part.to, copies.stream());
      }
      continue;
    }
    if (!part.first.is_near) {
      part.first = bring_piece(device.device(), first, chunk.first_begin, part.first.length, copies.stream());
    }
    if (!part.second.is_near) {
      part.second = bring_piece(device.device(), second, second_begin, part.second.length, copies.stream());
    }
    copies.are_read_by(stream);
    merge(device, part, memory.splits, stream);
  }
  copies.are_read_by(stream);
}

void RunMerge::copy_ahead(const Device& device, Pair& pair, Stream stream) const {
  if (pair.first.is_near == pair.second.is_near || (pair.skipped != 0 && !pair.has_all())) return;
  const MergedRun& far = pair.first.is_near ? pair.second : pair.first;
  pair.ahead = std::min({far.length, pair.kept / 8, ahead_bytes / bytes_.sum()});
  const bool is_last = pair.skipped != 0;
  copy(device, at(pair.copied, is_last ? pair.kept - pair.ahead : 0),
       part_of(far, is_last ? far.length - pair.ahead : 0, pair.ahead), stream);
}

RunMerge::FarPiece RunMerge::far_piece(const Pair& pair, const MergedRun& run, std::uint64_t begin,
                                       const RunArrays& room) const noexcept {
  FarPiece piece{run, begin, room, 0, run.length};
  if (run.is_near || pair.ahead == 0) return piece;
  if (pair.skipped == 0) {
    piece.left_begin = pair.ahead;
  } else {
    piece.left_end = run.length - pair.ahead;
    piece.room = at(room, pair.kept - (run.length - begin));
  }
  return piece;
}

MergedRun RunMerge::bring_piece(const Device& device, const FarPiece& piece, std::uint64_t begin,
                                std::uint64_t length, Stream stream) const {
  const RunArrays to = at(piece.room, begin - piece.begin);
  const std::uint64_t from = std::max(begin, piece.left_begin);
  const std::uint64_t end = std::min(begin + length, piece.left_end);
  if (from < end) copy(device, at(to, from - begin), part_of(piece.run, from, end - from), stream);
  return {to, length};
}

void RunMerge::copy_piece(const Device& device, const FarPiece& piece, std::uint64_t begin,
                          std::uint64_t length, const RunArrays& to, Stream stream) const {
  const std::uint64_t end = begin + length;
  const std::uint64_t left_begin = std::clamp(piece.left_begin, begin, end);
  const std::uint64_t left_end = std::clamp(piece.left_end, left_begin, end);
  const MergedRun here{at(piece.room, begin - piece.begin), length};
  copy(device, to, part_of(here, 0, left_begin - begin), stream);
  copy(device, at(to, left_begin - begin), part_of(piece.run, left_begin, left_end - left_begin), stream);
  copy(device, at(to, left_end - begin), part_of(here, left_end - begin, end - left_end), stream);
}

}  // namespace bitune::multi
