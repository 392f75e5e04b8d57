#pragma once

/// \file
/// A copy to memory that is not read soon.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bitune {

/// As memcpy. What is overwritten is not fetched into the cache first, where the processor can do without.
inline void copy_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  if (bytes > 2 * line) {
    const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
    std::memcpy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= line; to += line, from += line, bytes -= line) {
      const auto* const words = reinterpret_cast<const __m128i*>(from);
      const __m128i a = _mm_loadu_si128(words);
      const __m128i b = _mm_loadu_si128(words + 1);
      const __m128i c = _mm_loadu_si128(words + 2);
      const __m128i d = _mm_loadu_si128(words + 3);
      auto* const places = reinterpret_cast<__m128i*>(to);
      _mm_stream_si128(places, a);
      _mm_stream_si128(places + 1, b);
      _mm_stream_si128(places + 2, c);
      _mm_stream_si128(places + 3, d);
    }
    _mm_sfence();  // other threads see it once they see what is written next
  }
#endif
  std::memcpy(to, from, bytes);
}

}  // namespace bitune
