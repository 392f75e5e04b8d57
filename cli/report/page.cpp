#include "cli/report/page.hpp"

#include <zlib.h>

#include <new>
#include <nlohmann/json.hpp>

#include "cli/report/page_text.hpp"

namespace bitune::cli {
namespace {

std::string compressed(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  // With room for all it can only fail for want of memory.
  if (compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                text.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  bytes.resize(size);
  return bytes;
}

std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto byte = [&bytes, i, left](std::size_t place) {
      return place < left ? static_cast<unsigned>(static_cast<unsigned char>(bytes[i + place])) : 0U;
    };
    const unsigned three = byte(0) << 16U | byte(1) << 8U | byte(2);
    text += digits[three >> 18U];
    text += digits[three >> 12U & 63U];
    text += left > 1 ? digits[three >> 6U & 63U] : '=';
    text += left > 2 ? digits[three & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string embedded(const Json& model) {
  return base64(compressed(model.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::string page_of(const Json& model) {
  std::string page(page_before_data);
  page += embedded(model);
  page += page_after_data;
  return page;
}

}  // namespace bitune::cli
