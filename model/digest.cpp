#include "model/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cstdint>
#include <new>

namespace bitune {

Digest::Digest() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

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

std::string Digest::hex() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
  std::string text;
  for (const unsigned char byte : canonical.digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace bitune
