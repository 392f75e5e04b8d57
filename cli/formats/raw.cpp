#include "cli/formats/raw.hpp"

#include <fmt/format.h>

#include "bitune/error.hpp"

namespace bitune::cli {

KeyArray read_raw(InputFile& file, KeyType type) {
  auto bytes = file.read_all();
  if (bytes.size() % size_of(type) != 0) {
    throw Error(
        ErrorCode::input,
        fmt::format(
            "{} has {} bytes, which is not a whole number of {} keys of {} bytes; is it truncated, or of "
            "another type?",
            file.name(), bytes.size(), name_of(type), size_of(type)));
  }
  return make_list(type, std::move(bytes));
}

void write_raw(OutputFile& file, const KeyArray& keys) { file.write(keys.bytes); }

}  // namespace bitune::cli
