#include "cache/kernel_file.hpp"

#include <xxhash.h>

#include <cstdint>
#include <type_traits>

namespace bitune::kernel_file {
namespace {

constexpr std::string_view kernel_magic = "BITUNEK\n";
constexpr std::string_view note_magic = "BITUNEN\n";
constexpr std::uint32_t version = 1;  // of both

template <class Number>
void put(std::string& file, Number number) {
  auto rest = static_cast<std::make_unsigned_t<Number>>(number);
  for (std::size_t i = 0; i < sizeof(Number); ++i) file += static_cast<char>((rest >> (8 * i)) & 0xff);
}

void put_text(std::string& file, std::string_view text) {
  put(file, std::uint64_t{text.size()});
  file += text;
}

// Takes fields off the front of a file. After anything that is not there, `good` is false and all fields are
// empty.
struct Reader {
  std::string_view rest;
  bool good = true;

  std::string_view bytes(std::uint64_t count) {
    if (!good || count > rest.size()) {
      good = false;
      return {};
    }
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }

  template <class Number>
  Number number() {
    std::make_unsigned_t<Number> value = 0;
    const std::string_view taken = bytes(sizeof(Number));
    for (std::size_t i = taken.size(); i-- > 0;) {
      value = static_cast<std::make_unsigned_t<Number>>(value << 8 | static_cast<unsigned char>(taken[i]));
    }
    return static_cast<Number>(value);
  }

  std::string text() { return std::string(bytes(number<std::uint64_t>())); }

  // Whether all fields were there, and nothing is behind them.
  [[nodiscard]] bool ends() const { return good && rest.empty(); }
};

std::uint64_t checksum_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string whole_file(std::string_view magic, std::string_view body) {
  std::string file(magic);
  put(file, version);
  put(file, checksum_of(body));
  return file.append(body);
}

// At the body of a whole file; else not good.
Reader body_of(std::string_view file, std::string_view magic) {
  Reader reader{file};
  const bool is_ours = reader.bytes(magic.size()) == magic && reader.number<std::uint32_t>() == version;
  const auto checksum = reader.number<std::uint64_t>();
  reader.good = reader.good && is_ours && checksum == checksum_of(reader.rest);
  return reader;
}

}  // namespace

std::string encode(std::string_view digest, const KernelImage& image) {
  std::string body;
  put_text(body, digest);
  put_text(body, image.target);
  put_text(body, image.lowered_name);
  put_text(body, image.log);
  put(body, std::int32_t{image.registers});
  put(body, std::int32_t{image.local_bytes});
  put_text(body, image.bytes);
  return whole_file(kernel_magic, body);
}

std::optional<KernelImage> decode(std::string_view file, std::string_view digest) {
  Reader reader = body_of(file, kernel_magic);
  const bool same_digest = reader.text() == digest;
  KernelImage image;
  image.target = reader.text();
  image.lowered_name = reader.text();
  image.log = reader.text();
  image.registers = reader.number<std::int32_t>();
  image.local_bytes = reader.number<std::int32_t>();
  image.bytes = reader.text();
  if (!reader.ends() || !same_digest) return std::nullopt;
  return image;
}

std::string encode_note(std::string_view key, std::string_view text) {
  std::string body;
  put_text(body, key);
  put_text(body, text);
  return whole_file(note_magic, body);
}

std::optional<std::string> decode_note(std::string_view file, std::string_view key) {
  Reader reader = body_of(file, note_magic);
  const bool same_key = reader.text() == key;
  std::string text = reader.text();
  if (!reader.ends() || !same_key) return std::nullopt;
  return text;
}

}  // namespace bitune::kernel_file
