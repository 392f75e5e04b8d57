#include "multi/chunk_streams.hpp"

#include "bitune/error.hpp"

namespace bitune::multi {

ChunkStreams::ChunkStreams(const Device& device)
    : device_(device), begun_(device.create_event()), merged_(device.create_event()) {
  for (auto& stream : streams_) stream = device.create_stream();
}

ChunkStreams::~ChunkStreams() {
  for (const auto& stream : streams_) {
    try {
      device_.synchronize(stream->handle());
    } catch (const Error&) {  // whoever enqueued the work has heard of it
    }
  }
}

void ChunkStreams::join(Stream stream) {
  for (const auto& merging : streams_) {
    device_.record(*merged_, merging->handle());
    device_.wait_for(*merged_, stream);
  }
}

}  // namespace bitune::multi
