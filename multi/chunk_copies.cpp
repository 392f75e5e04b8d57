#include "multi/chunk_copies.hpp"

#include "bitune/error.hpp"

namespace bitune::multi {

ChunkCopies::ChunkCopies(const Device& device)
    : device_(device),
      stream_(device.create_stream()),
      written_(device.create_event()),
      copied_(device.create_event()) {}

ChunkCopies::~ChunkCopies() {
  try {
    finish();
  } catch (const Error&) {  // whoever enqueued the copies has heard of it
  }
}

void ChunkCopies::wait_for(Stream writer) {
  device_.record(*written_, writer);
  device_.wait_for(*written_, stream());
}

void ChunkCopies::are_read_by(Stream reader) {
  device_.record(*copied_, stream());
  device_.wait_for(*copied_, reader);
}

}  // namespace bitune::multi
