#include "multi/copies_ahead.hpp"

#include "bitune/error.hpp"

namespace bitune::multi {

CopiesAhead::CopiesAhead(const Device& device) : device_(device) {
  for (auto& stream : streams_) stream = device.create_stream();
  for (Slot& slot : slots_) slot = {device.create_event(), device.create_event()};
}

CopiesAhead::~CopiesAhead() {
  for (const auto& stream : streams_) {
    try {
      device_.synchronize(stream->handle());
    } catch (const Error&) {  // whoever enqueued it has heard of it
    }
  }
}

void CopiesAhead::copy(void* to, const Device& peer, const void* from, std::size_t bytes) {
  device_.wait_for(*slot().released, stream());
  device_.copy_from_peer(to, peer, from, bytes, stream());
}

void CopiesAhead::arrive(Stream stream) {
  device_.record(*slot().arrived, this->stream());
  device_.wait_for(*slot().arrived, stream);
}

void CopiesAhead::release(Stream stream) { device_.record(*slot().released, stream); }

}  // namespace bitune::multi
