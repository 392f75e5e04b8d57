#include "runtime/variants/expressions.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "model/key_type.hpp"

namespace bitune {
namespace {

std::string codec_text(std::size_t bytes, std::string_view key_class, int exponent, bool descending) {
  return fmt::format("bitune::Codec<{}, bitune::KeyClass::{}, {}, {}>", bytes, key_class, exponent,
                     descending);
}

}  // namespace

std::string key_codec(KeyType key, Order order) {
  const char* key_class = is_floating_point(key)   ? "floating_point"
                          : is_signed_integer(key) ? "signed_integer"
                                                   : "unsigned_integer";
  return codec_text(size_of(key), key_class, exponent_bits(key), order == Order::descending);
}

std::string word_codec(KeyType key) { return codec_text(size_of(key), "unsigned_integer", 0, false); }

std::string arguments_of(std::string_view codec) { return fmt::format("{}, bitune::NoPayload", codec); }

std::string tie_arguments_of(std::string_view codec) {
  return arguments_of(fmt::format("bitune::TieCodec<{}>", codec));
}

std::string codec_arguments(KeyType key, Order order) { return arguments_of(key_codec(key, order)); }

std::string tie_codec_arguments(KeyType key, Order order) { return tie_arguments_of(key_codec(key, order)); }

std::string encoded_codec(KeyType key, Order order) {
  if (is_floating_point(key)) return key_codec(key, order);
  return word_codec(key);
}

int exponent_bits(KeyType key) noexcept {
  switch (key) {
    case KeyType::f16:
      return 5;
    case KeyType::bf16:
    case KeyType::f32:
      return 8;
    case KeyType::f64:
      return 11;
    default:
      return 0;
  }
}

std::int64_t word_bytes(KeyType key) noexcept { return size_of(key) == 8 ? 8 : 4; }

}  // namespace bitune
