#pragma once

// Keys that are encoded already, as they lie in the workspace.

#include "kernels/network/codec.cuh"

namespace bitune {

/// The codec of encoded words of a codec's keys, which have their size: unsigned integers.
template <class Codec_>
using EncodedCodec = Codec<Codec_::bytes, KeyClass::unsigned_integer, 0, false>;

}  // namespace bitune
