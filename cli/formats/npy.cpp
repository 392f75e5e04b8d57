#include "cli/formats/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "bitune/error.hpp"
#include "cli/formats/npy_header.hpp"

namespace bitune::cli {
namespace {

std::string read_text(InputFile& file, std::size_t count) {
  const auto bytes = file.read(count);
  if (bytes.size() < count) {
    throw Error(ErrorCode::input,
                fmt::format("{} is truncated: it ends within the .npy header", file.name()));
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string names_of(const std::vector<NpyField>& fields) {
  std::vector<std::string> names;
  for (const NpyField& field : fields) {
    if (!field.name.empty()) names.push_back(field.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The elements in C order, of an array whose first extent varies fastest.
std::vector<std::byte> in_c_order(const std::vector<std::byte>& bytes,
                                  const std::vector<std::uint64_t>& shape, std::size_t element_bytes) {
  std::vector<std::byte> result(bytes.size());
  std::vector<std::uint64_t> strides;  // of each dimension in the file, in elements
  std::uint64_t stride = 1;
  for (const std::uint64_t extent : shape) {
    strides.push_back(stride);
    stride *= extent;
  }
  std::vector<std::uint64_t> index(shape.size());
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += element_bytes) {
    std::memcpy(result.data() + to, bytes.data() + from * element_bytes, element_bytes);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

/// Brings the elements to little endian and C order; says what was done.
std::string convert(std::vector<std::byte>& bytes, NpyHeader& header, std::size_t element_bytes) {
  std::vector<std::string> done;
  if (header.descr.starts_with('>') && element_bytes > 1) {
    swap_bytes(bytes, element_bytes);
    header.descr.front() = '<';
    done.emplace_back("big endian to little endian");
  }
  if (header.fortran_order && header.shape.size() > 1) {
    bytes = in_c_order(bytes, header.shape, element_bytes);
    done.emplace_back("Fortran order to C order");
  }
  return fmt::format("{}", fmt::join(done, ", "));
}

}  // namespace

NpyHeader read_npy_header(InputFile& file) {
  const std::string preamble = read_text(file, npy_preamble_bytes);
  if (!preamble.starts_with(npy_magic)) {
    throw Error(ErrorCode::input,
                fmt::format("{} is not a .npy file: it does not begin with \\x93NUMPY", file.name()));
  }
  const int major = static_cast<unsigned char>(preamble[6]);
  const int minor = static_cast<unsigned char>(preamble[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(ErrorCode::input, fmt::format("{} is of .npy version {}.{}; versions 1.0 to 3.0 are known",
                                              file.name(), major, minor));
  }
  std::uint64_t length = 0;
  const std::string digits = read_text(file, major == 1 ? 2 : 4);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
  }
  if (length > npy_longest_header) {
    throw Error(ErrorCode::input,
                fmt::format("{} has a .npy header of {} bytes, which is longer than any that is sound",
                            file.name(), length));
  }
  return parse_npy_header(read_text(file, length), file.name(), major == 3);
}

std::uint64_t promised_npy_bytes(const NpyHeader& header, std::uint64_t element_bytes,
                                 const std::string& file) {
  std::uint64_t bytes = element_bytes;
  bool empty = false;
  bool overflow = false;
  for (const std::uint64_t extent : header.shape) {
    empty |= extent == 0;
    overflow |= extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes);
  }
  if (!empty && (overflow || bytes > std::uint64_t{1} << 62)) {
    throw Error(ErrorCode::input, fmt::format("{} has a .npy header with an impossible shape ({})", file,
                                              fmt::join(header.shape, ", ")));
  }
  return empty ? 0 : bytes;
}

KeyType resolve_npy_type(std::string_view descr, std::optional<KeyType> wanted, const std::string& file) {
  const KeyType stored = key_type_of_descr(descr, file);
  if (!wanted || *wanted == stored) {
    return stored;
  }
  if (*wanted == KeyType::bf16 && stored == KeyType::u16) {
    return KeyType::bf16;
  }
  throw Error(ErrorCode::usage, fmt::format("{} holds {} keys, not {}; leave --type out for .npy files", file,
                                            name_of(stored), name_of(*wanted)));
}

std::vector<std::byte> read_npy_elements(InputFile& file, const NpyHeader& header,
                                         std::uint64_t element_bytes) {
  if (header.shape.empty()) {
    throw Error(ErrorCode::input,
                fmt::format("{} holds a single number without a dimension, not an array", file.name()));
  }
  const std::uint64_t promised = promised_npy_bytes(header, element_bytes, file.name());
  const auto remaining = file.remaining();
  std::vector<std::byte> bytes;
  if (!remaining) file.limit().check(promised, file.name());
  if (!remaining || *remaining >= promised) {
    bytes = file.read(promised);
  }
  if (bytes.size() < promised) {
    throw Error(ErrorCode::input,
                fmt::format("{} is truncated: its header promises {} bytes of keys, there are {}",
                            file.name(), promised, remaining.value_or(bytes.size())));
  }
  if (!file.read(1).empty()) {
    throw Error(ErrorCode::input, fmt::format("{} has bytes after the {} that its .npy header promises",
                                              file.name(), promised));
  }
  return bytes;
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t element_bytes) {
  for (auto element = bytes.begin(); element != bytes.end();
       element += static_cast<std::ptrdiff_t>(element_bytes)) {
    std::reverse(element, element + static_cast<std::ptrdiff_t>(element_bytes));
  }
}

KeyArray read_npy(InputFile& file, std::optional<KeyType> type) {
  NpyHeader header = read_npy_header(file);
  KeyArray keys;
  if (!header.fields.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} holds records of several fields ({}); give those to sort by with --key",
                            file.name(), names_of(header.fields)));
  }
  keys.type = resolve_npy_type(header.descr, type, file.name());
  keys.bytes = read_npy_elements(file, header, size_of(keys.type));
  if (header.fortran_order && header.shape.size() > 1) file.limit().check(2 * keys.bytes.size(), file.name());
  keys.conversion = convert(keys.bytes, header, size_of(keys.type));
  keys.shape = std::move(header.shape);
  keys.npy_descr = std::move(header.descr);
  return keys;
}

void write_npy_header(OutputFile& file, const KeyArray& keys) {
  file.write(npy_header_text(keys.npy_descr.empty() ? descr_of(keys.type) : std::string_view(keys.npy_descr),
                             keys.shape));
}

void write_npy(OutputFile& file, const KeyArray& keys) {
  write_npy_header(file, keys);
  file.write(keys.bytes);
}

ValueArray read_npy_values(InputFile& file) {
  NpyHeader header = read_npy_header(file);
  ValueArray values;
  values.value_bytes = header.fields.empty() ? element_bytes_of_descr(header.descr, file.name())
                                             : header.fields.back().offset + header.fields.back().bytes;
  if (values.value_bytes > 16 || !std::has_single_bit(values.value_bytes)) {
    throw Error(ErrorCode::input,
                fmt::format("{} has values of {} bytes, and such of 1, 2, 4, 8 and 16 travel with keys: use "
                            "bitune argsort, and take the values by its indices",
                            file.name(), values.value_bytes));
  }
  if (header.fortran_order && header.shape.size() > 1) {
    throw Error(ErrorCode::input,
                fmt::format("{} has its columns one behind the other: save values with their rows so, by "
                            "numpy.ascontiguousarray",
                            file.name()));
  }
  values.bytes = read_npy_elements(file, header, values.value_bytes);
  values.shape = std::move(header.shape);
  values.npy_descr = std::move(header.descr);
  values.npy_utf8 = header.utf8;
  return values;
}

void write_npy_values_header(OutputFile& file, const ValueArray& values) {
  file.write(npy_header_text(values.npy_descr, values.shape, values.npy_utf8));
}

void write_npy_values(OutputFile& file, const ValueArray& values) {
  write_npy_values_header(file, values);
  file.write(values.bytes);
}

}  // namespace bitune::cli
