#include "model/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace bitune {

Digest::Digest() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  reset();
}

void Digest::reset() { XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_)); }

Digest::~Digest() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

Digest& Digest::add(std::string_view field) {
  // Little-endian by hand: digests are stored in files that travel between machines.
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<unsigned char>(std::uint64_t{field.size()} >> (8 * i));
  }
  auto* state = static_cast<XXH3_state_t*>(state_);
  XXH3_128bits_update(state, length.data(), length.size());
  XXH3_128bits_update(state, field.data(), field.size());
  return *this;
}

std::array<std::uint64_t, 2> Digest::value() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {hash.high64, hash.low64};
}

std::string Digest::hex() const {
  const auto [high, low] = value();
  return fmt::format("{:016x}{:016x}", high, low);
}

}  // namespace bitune
