#include "multi/chunk_copies.hpp"

#include "bitune/error.hpp"

namespace bitune::multi {
namespace {

constexpr std::size_t part_alignment = 4096;

}  // namespace

ChunkCopies::ChunkCopies(const Device& device) : device_(device) {
  for (Lane& lane : lanes_) lane = {device.create_stream(), device.create_event()};
}

ChunkCopies::~ChunkCopies() {
  try {
    begin();
  } catch (const Error&) {  // whoever enqueued the copies has heard of it
  }
}

void ChunkCopies::begin() {
  for (const Lane& lane : lanes_) device_.synchronize(lane.stream->handle());
}

void ChunkCopies::copy(void* to, const void* from, std::size_t bytes) {
  const std::size_t shorter = bytes / 8 * 3 / part_alignment * part_alignment;
  const auto copy_part = [&](std::size_t lane, std::size_t begin, std::size_t size) {
    if (size == 0) return;
    device_.copy_on_device(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                           size, lanes_[lane].stream->handle());
  };
  copy_part(shorter_, 0, shorter);
  copy_part(1 - shorter_, shorter, bytes - shorter);
}

void ChunkCopies::are_read_by(Stream reader) {
  for (Lane& lane : lanes_) {
    device_.record(*lane.copied, lane.stream->handle());
    device_.wait_for(*lane.copied, reader);
  }
  shorter_ = 1 - shorter_;
}

std::uint64_t* ChunkCopies::numbers(std::size_t count) {
  const std::size_t bytes = count * sizeof(std::uint64_t);
  if (!numbers_ || numbers_->size() < bytes) numbers_ = device_.allocate_host(bytes);
  return reinterpret_cast<std::uint64_t*>(numbers_->data());
}

}  // namespace bitune::multi
