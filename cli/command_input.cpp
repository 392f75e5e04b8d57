#include "cli/command_input.hpp"

#include <bit>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/formats/npy.hpp"
#include "cli/host_call.hpp"
#include "cli/values.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {
namespace {

bool is_regular(const std::string& path) {
  std::error_code none;
  return path != "-" && std::filesystem::is_regular_file(path, none);
}

/// Whether an array's elements lie in the file as they are in memory, and nothing else is behind the header.
bool is_plain(const InputFile& file, const NpyHeader& header, std::uint64_t element_bytes) {
  const bool is_converted = (header.descr.starts_with('>') && element_bytes > 1) ||
                            (header.fortran_order && header.shape.size() > 1);
  return header.fields.empty() && !header.shape.empty() && !is_converted &&
         file.remaining() == promised_npy_bytes(header, element_bytes, file.name());
}

/// Whether there is something to sort, at addresses that elements of this size may have.
bool is_sortable(const MappedContent& content, std::uint64_t element_bytes) {
  return content.mapping->bytes().size() > content.begin && content.begin % element_bytes == 0 &&
         content.content().size() % element_bytes == 0;
}

}  // namespace

std::optional<SortInput> map_input(const InputRequest& request) {
  if (!is_regular(request.path)) return std::nullopt;
  InputFile file(request.path, request.limit);
  SortInput input;
  input.name = file.name();
  input.format = request.format ? *request.format : detect_format(file);
  KeyArray& keys = input.keys;
  if (input.format == Format::raw && request.type) {
    keys.type = *request.type;
    keys.in_file = file.map();
    if (!is_sortable(keys.in_file, size_of(keys.type))) return std::nullopt;
    keys.shape = {keys.count()};
    return input;
  }
  if (input.format != Format::npy) return std::nullopt;
  NpyHeader header = read_npy_header(file);
  if (!header.fields.empty()) return std::nullopt;
  keys.type = resolve_npy_type(header.descr, request.type, file.name());
  if (!is_plain(file, header, size_of(keys.type))) return std::nullopt;
  keys.in_file = file.map();
  if (!is_sortable(keys.in_file, size_of(keys.type))) return std::nullopt;
  keys.shape = std::move(header.shape);
  keys.npy_descr = std::move(header.descr);
  return input;
}

ValueArray map_values(const std::string& path, std::uint64_t keys, const ReadLimit& limit) {
  if (!is_regular(path)) return read_values(path, keys, limit);
  InputFile file(path, limit);
  ValueArray values;
  if (file.peek(npy_magic.size()) == npy_magic) {
    NpyHeader header = read_npy_header(file);
    if (!header.fields.empty()) return read_values(path, keys, limit);
    values.value_bytes = element_bytes_of_descr(header.descr, file.name());
    // Values are only moved: their byte order is no matter.
    NpyHeader moved = header;
    moved.descr = "|";
    if (!is_plain(file, moved, values.value_bytes)) return read_values(path, keys, limit);
    values.in_file = file.map();
    values.shape = std::move(header.shape);
    values.npy_descr = std::move(header.descr);
    values.npy_utf8 = header.utf8;
  } else {
    values.in_file = file.map();
    values.value_bytes = values.content().size() / keys;
  }
  const bool travel = values.value_bytes <= 16 && std::has_single_bit(values.value_bytes);
  if (!travel || !is_sortable(values.in_file, values.value_bytes) || values.count() != keys) {
    return read_values(path, keys, limit);
  }
  return values;
}

bool can_be_mapped(const OutputFile& output, const std::string& destination,
                   const std::string& format_option) {
  return output.is_file() && output_format_of(format_option, destination, Format::raw) != Format::text;
}

std::string folder_of(const std::string& destination) {
  const std::string folder = std::filesystem::path(destination).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::span<std::byte> map_keys(OutputFile& output, Format format, const KeyArray& like, std::uint64_t bytes) {
  if (format == Format::npy) write_npy_header(output, like);
  return output.map(bytes);
}

CommandInput::CommandInput(const CommonOptions& common, const InputRequest& request,
                           const MappedResults& results, const std::function<Problem(SortInput&)>& problem_of)
    : common_(common) {
  if (results.possible) {
    if (auto mapped = map_input(request)) {
      scratch_folder_ = results.folder;
      const Problem problem = problem_of(*mapped);
      if (!request.limit.allows(mapped->keys.content().size()) || sorter().host_parts(problem) > 1) {
        input_ = std::move(*mapped);
        return;
      }
    }
  }
  input_ = read_input(request);
}

CommandInput::CommandInput(const CommonOptions& common, SortInput input)
    : common_(common), input_(std::move(input)) {}

Sorter& CommandInput::sorter() {
  if (!sorter_) {
    SorterOptions options = sorter_options(common_, line_);
    options.scratch_folder = scratch_folder_;
    sorter_.emplace(std::move(options));
  }
  return *sorter_;
}

}  // namespace bitune::cli
