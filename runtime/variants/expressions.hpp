#pragma once

/// \file
/// The text of template arguments that name a kernel's instantiation.

#include <string>
#include <string_view>

#include "bitune/types.hpp"

namespace bitune {

/// "bitune::Codec<4, bitune::KeyClass::floating_point, 8, false>, bitune::NoPayload": the first two template
/// arguments of every kernel.
[[nodiscard]] std::string codec_arguments(KeyType key, Order order);

/// The same of any codec that has a text, and of its TieCodec.
[[nodiscard]] std::string arguments_of(std::string_view codec);
[[nodiscard]] std::string tie_arguments_of(std::string_view codec);

/// The same for keys that are only compared where something travels with them (TieCodec).
[[nodiscard]] std::string tie_codec_arguments(KeyType key, Order order);

/// The codec alone: "bitune::Codec<4, bitune::KeyClass::floating_point, 8, false>".
[[nodiscard]] std::string key_codec(KeyType key, Order order);

/// The codec, alone, of words that are encoded already, as any unsigned integers of their size.
[[nodiscard]] std::string word_codec(KeyType key);

/// The codec of words that are encoded already, alone. Integers of one size share that of the unsigned ones;
/// words of floating-point keys have their own, which knows the numbers that they stand for.
[[nodiscard]] std::string encoded_codec(KeyType key, Order order);

/// Bits of a floating-point key's exponent; 0 for integers.
[[nodiscard]] int exponent_bits(KeyType key) noexcept;

/// Bytes of the word that registers and shared memory hold a key in: 4, or 8 for 64-bit keys.
[[nodiscard]] std::int64_t word_bytes(KeyType key) noexcept;

}  // namespace bitune
