#include "cli/formats/format.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bitune/error.hpp"
#include "cli/formats/npy.hpp"
#include "cli/formats/npy_header.hpp"
#include "cli/formats/raw.hpp"
#include "cli/formats/text.hpp"

namespace bitune::cli {

std::string_view name_of(Format format) noexcept {
  switch (format) {
    case Format::npy:
      return "npy";
    case Format::raw:
      return "raw";
    case Format::text:
      return "text";
  }
  return {};
}

Format parse_format(std::string_view text) {
  for (const Format format : {Format::npy, Format::raw, Format::text}) {
    if (name_of(format) == text) {
      return format;
    }
  }
  throw Error(ErrorCode::usage, fmt::format("there is no format '{}'; choose npy, raw or text", text));
}

std::optional<Format> format_of_name(std::string_view path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") {
    return Format::npy;
  }
  if (extension == ".bin" || extension == ".raw") {
    return Format::raw;
  }
  if (extension == ".txt" || extension == ".csv") {
    return Format::text;
  }
  return std::nullopt;
}

Format detect_format(InputFile& file, bool type_given) {
  const auto by_name = format_of_name(file.name());
  if (!by_name && file.peek(npy_magic.size()) == npy_magic) {
    return Format::npy;
  }
  if (by_name) {
    return *by_name;
  }
  if (file.name() == "standard input") {
    return Format::text;
  }
  if (type_given) {
    return Format::raw;
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("cannot tell what {} holds; give --format npy, raw or text, and --type for raw keys",
                  file.name()));
}

KeyArray read_keys(InputFile& file, Format format, std::optional<KeyType> type) {
  switch (format) {
    case Format::npy:
      return read_npy(file, type);
    case Format::text:
      return read_text(file, type);
    case Format::raw:
      break;
  }
  if (!type) {
    throw Error(ErrorCode::usage,
                fmt::format("{} has no header that names the key type; give --type", file.name()));
  }
  return read_raw(file, *type);
}

void write_keys(OutputFile& file, Format format, const KeyArray& keys) {
  switch (format) {
    case Format::npy:
      return write_npy(file, keys);
    case Format::raw:
      return write_raw(file, keys);
    case Format::text:
      return write_text(file, keys);
  }
}

}  // namespace bitune::cli
