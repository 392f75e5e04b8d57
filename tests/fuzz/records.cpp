// Records of strangers: CSV, and structured .npy arrays.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "cli/formats/output_file.hpp"
#include "cli/formats/records.hpp"
#include "cli/record_keys.hpp"
#include "model/key_type.hpp"
#include "tests/fuzz/target.hpp"

namespace bitune::fuzz {
namespace {

using Reader = std::unique_ptr<cli::Records> (*)(std::string_view bytes, bool has_header);

std::unique_ptr<cli::Records> csv(std::string_view bytes, bool has_header) {
  cli::InputFile file = cli::InputFile::of_bytes("a file", std::string(bytes));
  return cli::read_csv_records(file, has_header);
}

std::unique_ptr<cli::Records> structured(std::string_view bytes, bool) {
  cli::InputFile file = cli::InputFile::of_bytes("a file", std::string(bytes));
  return cli::read_npy_records(file);
}

// Records as they are written to standard output, which is a file in memory here.
std::string written(const cli::Records& records, cli::Format format) {
  static const int memory = [] {
    const int descriptor = ::memfd_create("output", MFD_CLOEXEC);
    require(descriptor >= 0 && ::dup2(descriptor, STDOUT_FILENO) >= 0, "standard output cannot be replaced");
    return descriptor;
  }();
  require(::ftruncate(memory, 0) == 0 && ::lseek(memory, 0, SEEK_SET) == 0, "the output cannot be emptied");
  std::vector<std::byte> places(records.count() * sizeof(std::uint32_t));
  std::iota(reinterpret_cast<std::uint32_t*>(places.data()),
            reinterpret_cast<std::uint32_t*>(places.data() + places.size()), 0U);
  {
    cli::OutputFile file("-");
    records.write(file, format, cli::make_list(KeyType::u32, std::move(places)));
    file.commit();
  }
  std::string text(static_cast<std::size_t>(::lseek(memory, 0, SEEK_CUR)), '\0');
  require(::pread(memory, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
          "the output cannot be read");
  return text;
}

// What the first fields of the records give: no field is read in another way than these, and a line of 4,096
// commas has as many.
void read_fields(const cli::Records& records, std::optional<KeyType> type) {
  for (std::size_t field = 0; field < std::min<std::size_t>(records.names().size(), 16); ++field) {
    accepts([&] {
      const auto found = records.find(records.names().at(field));
      require(!found || records.names().at(*found) == records.names().at(field), "another field is found");
    });
    accepts([&] {
      const cli::KeyArray keys = records.keys(field, type);
      require(keys.count() == records.count(), "not a key for each record");
      require(!type || keys.type == *type, "keys of a type that was not asked for");
    });
  }
}

// The first line of the input is what --key says, with a type before it; the rest is the file.
void read_records(std::string_view bytes, Reader reader, cli::Format format) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  const std::size_t of_types = choice / 2 % (all_key_types.size() + 1);
  const auto type =
      of_types == all_key_types.size() ? std::nullopt : std::optional(all_key_types.at(of_types));
  const bool has_header = choice % 2 == 0;
  const std::size_t end = bytes.find('\n');
  const std::string key(bytes.substr(1, end == std::string_view::npos ? end : end - 1));
  const std::string_view file = end == std::string_view::npos ? "" : bytes.substr(end + 1);
  accepts([&] {
    const auto records = reader(file, has_header);
    accepts([&] {
      for (const cli::RecordKey& named : cli::parse_record_keys({key}, *records, Order::ascending)) {
        require(named.field < records->names().size(), "a key names a field that is not there");
      }
    });
    read_fields(*records, type);
    if (!records->has_format(format)) return;
    const std::string text = written(*records, format);
    const auto again = reader(text, has_header);
    require(again->names() == records->names(), "names that do not read back");
    require(again->count() == records->count(), "records that do not read back");
    require(written(*again, format) == text, "records that are written in another way");
  });
}

}  // namespace

void csv_records(std::string_view bytes) { read_records(bytes, csv, cli::Format::text); }

void npy_records(std::string_view bytes) { read_records(bytes, structured, cli::Format::npy); }

}  // namespace bitune::fuzz
