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

void ChunkCopies::mark(std::size_t number) {
  if (number >= marks_.size()) marks_.resize(number + 1);
  if (!marks_[number]) marks_[number] = device_.create_event();
  device_.record(*marks_[number], stream());
}

void ChunkCopies::are_read_by(Stream reader, std::size_t number) const {
  device_.wait_for(*marks_.at(number), reader);
}

}  // namespace bitune::multi
