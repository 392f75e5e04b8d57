#include "tuner/exchange/gzip.hpp"

#include <zlib.h>

#include <new>

#include "bitune/error.hpp"

namespace bitune {

std::string gzip(std::string_view bytes) {
  constexpr int gzip_format = 15 + 16;  // the largest window, in gzip's format
  constexpr int memory_level = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_format, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to its input; its interface is older than const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int code = bytes.size() == stream.avail_in ? deflate(&stream, Z_FINISH) : Z_BUF_ERROR;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw Error(ErrorCode::io, "more than 4 GB cannot be compressed in one piece");
  return packed;
}

}  // namespace bitune
