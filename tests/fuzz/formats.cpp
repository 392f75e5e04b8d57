// The formats that `bitune sort` reads.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "cli/formats/format.hpp"
#include "cli/formats/npy.hpp"
#include "cli/formats/npy_header.hpp"
#include "cli/formats/text.hpp"
#include "cli/values.hpp"
#include "model/key_type.hpp"
#include "tests/fuzz/target.hpp"

namespace bitune::fuzz {
namespace {

// The first byte chooses a type, or none; the rest is what is read.
std::optional<KeyType> take_type(std::string_view& bytes) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t choice = static_cast<unsigned char>(bytes.front()) % (all_key_types.size() + 1);
  bytes.remove_prefix(1);
  return choice == all_key_types.size() ? std::nullopt : std::optional(all_key_types.at(choice));
}

std::uint64_t product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) count *= length;
  return count;
}

void require_whole(const cli::KeyArray& keys) {
  require(!keys.shape.empty(), "keys without a shape");
  require(product(keys.shape) * size_of(keys.type) == keys.bytes.size(), "the shape is not that of the keys");
}

void read_as(std::string_view bytes, cli::Format format) {
  const std::optional<KeyType> type = take_type(bytes);
  const MemoryFile memory(bytes);
  accepts([&] {
    cli::InputFile file(memory.path());
    static_cast<void>(accepts([&] { static_cast<void>(cli::detect_format(file)); }));
    const cli::KeyArray keys = cli::read_keys(file, format, type);
    require_whole(keys);
    require(!type || keys.type == *type, "keys of a type that was not asked for");
  });
}

}  // namespace

void npy_header(std::string_view bytes) {
  accepts([&] {
    const cli::NpyHeader header = cli::parse_npy_header(bytes, "a file");
    accepts([&] { static_cast<void>(cli::element_bytes_of_descr(header.descr, "a file")); });
    accepts([&] {
      const KeyType type = cli::key_type_of_descr(header.descr, "a file");
      // What is written of it reads back as the same.
      const std::string whole = cli::npy_header_text(cli::descr_of(type), header.shape);
      require(whole.size() % 64 == 0, "a header that is not padded");
      const std::size_t begin = whole.find('{');
      const cli::NpyHeader again = cli::parse_npy_header(std::string_view(whole).substr(begin), "a file");
      require(again.shape == header.shape, "a shape that does not read back");
    });
  });
}

void npy(std::string_view bytes) { read_as(bytes, cli::Format::npy); }

void raw(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t last = all_key_types.size();
  if (static_cast<unsigned char>(bytes.front()) % (last + 1) == last) return;  // raw bytes need a type
  read_as(bytes, cli::Format::raw);
}

void text(std::string_view bytes) {
  const std::optional<KeyType> type = take_type(bytes);
  accepts([&] {
    const cli::KeyArray keys = cli::parse_text(bytes, type, "a file");
    require_whole(keys);
    std::string written;
    cli::append_text(written, keys.type, keys.bytes.data(), keys.count());
    if (keys.count() == 0) return;
    const cli::KeyArray again = cli::parse_text(written, keys.type, "a file");
    // Bits of a NaN beyond its being one are not kept by a text; its text is the same.
    std::string twice;
    cli::append_text(twice, again.type, again.bytes.data(), again.count());
    require(twice == written, "keys that do not read back from their text");
  });
}

void values(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::uint64_t count = static_cast<unsigned char>(bytes.front());
  const MemoryFile memory(bytes.substr(1));
  accepts([&] {
    const cli::ValueArray read = cli::read_values(memory.path(), count, {});
    require(read.value_bytes * count == read.bytes.size(), "not a value for each key");
  });
}

}  // namespace bitune::fuzz
