#include "cli/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  if (extension == ".txt" || extension == ".csv" || extension == ".tsv") {
    return Format::text;
  }
  return std::nullopt;
}

Format detect_format(InputFile& file) {
  constexpr std::size_t enough = 512;
  const std::string_view begin = file.peek(enough);
  if (begin.starts_with(npy_magic)) return Format::npy;
  refuse_foreign_name(file.name());
  if (const auto by_name = format_of_name(file.name())) return *by_name;
  if (looks_like_text(begin)) return Format::text;
  throw Error(
      ErrorCode::input,
      fmt::format("{} does not begin as text does, nor as a .npy file; give --format raw and --type if it "
                  "holds raw keys",
                  file.name()));
}

void refuse_foreign_name(std::string_view path) {
  constexpr std::array<std::string_view, 12> foreign = {
      ".npz", ".gz", ".xz", ".zst", ".bz2", ".zip", ".h5", ".parquet", ".pickle", ".pkl", ".json", ".arrow"};
  const std::string extension = std::filesystem::path(path).extension().string();
  if (std::find(foreign.begin(), foreign.end(), extension) == foreign.end()) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{} has the name of a {} file, a format that is not known here: use .npy, .bin or .txt, or "
                  "say which of them it is with --format or --output-format",
                  path, extension));
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
