#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "bitune/error.hpp"
#include "cli/formats/npy.hpp"
#include "cli/formats/npy_header.hpp"
#include "cli/formats/records.hpp"

namespace bitune::cli {
namespace {

/// Whether elements are dates or durations: 64-bit integers, of which the least stands for none. What has
/// another size is neither, whatever it says.
bool is_time(const NpyField& field) {
  return field.descr.size() > 2 && (field.descr[1] == 'M' || field.descr[1] == 'm') &&
         field.bytes == sizeof(std::uint64_t);
}

/// Moves the least integer, "not a time", behind all others, as NumPy sorts it. The others keep their order.
void number_times(std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t time = 0;
    std::memcpy(&time, bytes.data() + i, sizeof time);
    time += (std::uint64_t{1} << 63) - 1;
    std::memcpy(bytes.data() + i, &time, sizeof time);
  }
}

class NpyRecords : public Records {
 public:
  explicit NpyRecords(InputFile& file)
      : Records(file.name()), limit_(file.limit()), header_(read_npy_header(file)) {
    if (header_.fields.empty()) {
      throw Error(ErrorCode::usage, fmt::format("{} holds no records with fields: leave --key out", name()));
    }
    if (header_.shape.size() != 1) {
      throw Error(ErrorCode::unavailable,
                  fmt::format("{} has {} dimensions, and records are sorted as a list: save it flat", name(),
                              header_.shape.size()));
    }
    record_bytes_ = header_.fields.back().offset + header_.fields.back().bytes;
    if (record_bytes_ == 0)
      throw Error(ErrorCode::input, fmt::format("{} has records without any bytes", name()));
    bytes_ = read_npy_elements(file, header_, record_bytes_);
    for (const NpyField& field : header_.fields) names_.push_back(field.name);
  }

  [[nodiscard]] std::uint64_t count() const override { return bytes_.size() / record_bytes_; }
  [[nodiscard]] const std::vector<std::string>& names() const override { return names_; }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const override {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (name.empty() || found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }

  [[nodiscard]] KeyArray keys(std::size_t index, std::optional<KeyType> type) const override {
    const NpyField& field = header_.fields.at(index);
    const std::string what = fmt::format("{}, field '{}'", name(), field.name);
    if (field.descr.empty()) {
      throw Error(ErrorCode::input,
                  fmt::format("{} holds several numbers: sort by a field of one number", what));
    }
    const bool time = is_time(field);
    const KeyType key = resolve_npy_type(time ? "<u8" : field.descr, type, what);
    limit_.check(bytes_.size() + count() * field.bytes, name());
    std::vector<std::byte> keys(count() * field.bytes);
    for (std::uint64_t i = 0; i < count(); ++i) {
      std::memcpy(keys.data() + i * field.bytes, bytes_.data() + i * record_bytes_ + field.offset,
                  field.bytes);
    }
    if (field.descr.starts_with('>')) swap_bytes(keys, field.bytes);
    if (time) number_times(keys);
    return make_list(key, std::move(keys));
  }

  [[nodiscard]] bool has_format(Format format) const override { return format != Format::text; }

  void write(OutputFile& file, Format format, const KeyArray& order) const override {
    if (format == Format::npy) file.write(npy_header_text(header_.descr, {order.count()}, header_.utf8));
    const std::uint64_t records_a_write = std::max<std::uint64_t>((1 << 20) / record_bytes_, 1);
    std::vector<std::byte> buffer;
    for (std::uint64_t i = 0; i < order.count(); ++i) {
      const std::byte* record = bytes_.data() + index_at(order, i) * record_bytes_;
      buffer.insert(buffer.end(), record, record + record_bytes_);
      if ((i + 1) % records_a_write == 0) {
        file.write(buffer);
        buffer.clear();
      }
    }
    file.write(buffer);
  }

 private:
  ReadLimit limit_;
  NpyHeader header_;
  std::uint64_t record_bytes_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Records> read_npy_records(InputFile& file) { return std::make_unique<NpyRecords>(file); }

}  // namespace bitune::cli
