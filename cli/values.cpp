#include "cli/values.hpp"

#include <fmt/format.h>

#include <bit>

#include "bitune/error.hpp"
#include "cli/formats/input_file.hpp"
#include "cli/formats/npy.hpp"
#include "cli/formats/npy_header.hpp"

namespace bitune::cli {

ValueArray read_values(const std::string& path, std::uint64_t keys, const ReadLimit& limit) {
  InputFile file(path, limit);
  ValueArray values;
  if (file.peek(npy_magic.size()) == npy_magic) {
    values = read_npy_values(file);
    if (values.count() != keys) {
      throw Error(ErrorCode::input,
                  fmt::format("{} has {} values, and there are {} keys: give a value for each", file.name(),
                              values.count(), keys));
    }
    return values;
  }
  values.bytes = file.read_all();
  values.value_bytes = keys == 0 ? 1 : values.bytes.size() / keys;
  if (values.bytes.size() != values.value_bytes * keys || values.value_bytes > 16 ||
      !std::has_single_bit(values.value_bytes)) {
    throw Error(ErrorCode::input,
                fmt::format("{} has {} bytes, which are no values of 1, 2, 4, 8 or 16 bytes "
                            "for {} keys",
                            file.name(), values.bytes.size(), keys));
  }
  return values;
}

void write_values(OutputFile& file, const ValueArray& values) {
  if (values.npy_descr.empty()) {
    file.write(values.bytes);
  } else {
    write_npy_values(file, values);
  }
}

}  // namespace bitune::cli
