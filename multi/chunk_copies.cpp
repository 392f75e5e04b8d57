#include "multi/chunk_copies.hpp"

#include "bitune/error.hpp"

namespace bitune::multi {

ChunkCopies::ChunkCopies(const Device& device)
    : device_(device), stream_(device.create_stream()), copied_(device.create_event()) {}

ChunkCopies::~ChunkCopies() {
  try {
    begin();
  } catch (const Error&) {  // whoever enqueued the copies has heard of it
  }
}

void ChunkCopies::are_read_by(Stream reader) {
  device_.record(*copied_, stream());
  device_.wait_for(*copied_, reader);
}

}  // namespace bitune::multi
