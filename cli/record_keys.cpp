#include "cli/record_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "bitune/bitune.hpp"
#include "bitune/error.hpp"
#include "cli/arguments.hpp"
#include "cli/host_call.hpp"
#include "model/key_type.hpp"

namespace bitune::cli {
namespace {

/// The key that the whole text names.
std::optional<RecordKey> key_named(const std::string& text, const Records& records, Order order) {
  if (const auto field = records.find(text)) return RecordKey{*field, order};
  for (const auto& [ending, its_order] : {std::pair{std::string_view(":asc"), Order::ascending},
                                          {std::string_view(":desc"), Order::descending}}) {
    if (!text.ends_with(ending)) continue;
    if (const auto field = records.find(text.substr(0, text.size() - ending.size())))
      return RecordKey{*field, its_order};
  }
  return std::nullopt;
}

template <class T>
void gather(const std::byte* from, const KeyArray& order, std::byte* to) {
  for (std::uint64_t i = 0; i < order.count(); ++i) {
    std::memcpy(to + i * sizeof(T), from + index_at(order, i) * sizeof(T), sizeof(T));
  }
}

/// The elements of a list that the indices name.
std::vector<std::byte> taken(const KeyArray& list, const KeyArray& order) {
  std::vector<std::byte> result(list.bytes.size());
  switch (size_of(list.type)) {
    case 1:
      gather<std::uint8_t>(list.bytes.data(), order, result.data());
      break;
    case 2:
      gather<std::uint16_t>(list.bytes.data(), order, result.data());
      break;
    case 4:
      gather<std::uint32_t>(list.bytes.data(), order, result.data());
      break;
    default:
      gather<std::uint64_t>(list.bytes.data(), order, result.data());
      break;
  }
  return result;
}

KeyArray argsort(Sorter& sorter, const KeyArray& keys, Order order, KeyType index, bool verify,
                 SortReport& report) {
  const std::uint64_t n = keys.count();
  KeyArray indices = make_list(index, std::vector<std::byte>(n * size_of(index)));
  const Problem problem{{.operation = Operation::argsort,
                         .key = keys.type,
                         .index_bytes = static_cast<std::uint32_t>(size_of(index)),
                         .order = order,
                         .stable = true},
                        {.n = n}};
  Operands operands;
  // Operands are not const, since one type serves inputs and outputs. Inputs are never written.
  operands[Role::keys_in] = {const_cast<std::byte*>(keys.bytes.data()), n, n};
  operands[Role::indices_out] = {indices.bytes.data(), n, n};
  SortReport call = call_on_host(sorter, problem, operands, verify);
  // What is told of the configuration is that of the first key, which is sorted last.
  call.times.host_to_device_us += report.times.host_to_device_us;
  call.times.kernels_us += report.times.kernels_us;
  call.times.device_to_host_us += report.times.device_to_host_us;
  call.times.total_us += report.times.total_us;
  call.prepare_ms += report.prepare_ms;
  call.keys = std::move(report.keys);
  report = std::move(call);
  return indices;
}

}  // namespace

void add_record_options(CLI::App& command, RecordOptions& options) {
  add_texts(command, "-k,--key", options.keys,
            "Fields of a structured .npy array or of CSV to sort its records by, the first matters most: "
            "price:desc,time",
            "FIELDS");
  add_flag(command, "--no-header", options.no_header,
           "With --key: the first line of CSV is a record, too, and fields are numbers from 1 on");
}

void check_record_options(const RecordOptions& options) {
  if (options.no_header && options.keys.empty()) {
    throw Error(ErrorCode::usage,
                "--no-header is for CSV that --key sorts: give --key, with the number of a column");
  }
}

std::vector<RecordKey> parse_record_keys(const std::vector<std::string>& texts, const Records& records,
                                         Order order) {
  std::vector<RecordKey> keys;
  for (const std::string& text : texts) {
    if (const auto key = key_named(text, records, order)) {
      keys.push_back(*key);
      continue;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string part = text.substr(begin, end - begin);
      const auto key = key_named(part, records, order);
      if (!key) {
        std::vector<std::string> names;
        std::copy_if(records.names().begin(), records.names().end(), std::back_inserter(names),
                     [](const std::string& name) { return !name.empty(); });
        throw Error(ErrorCode::usage,
                    fmt::format("{} has no field '{}' for --key; it has {}", records.name(), part,
                                names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
      }
      keys.push_back(*key);
      begin = end + 1;
    }
  }
  return keys;
}

std::unique_ptr<Records> read_records(const InputRequest& request, const RecordOptions& options,
                                      Format& format) {
  InputFile file(request.path, request.limit);
  format = request.format ? *request.format : detect_format(file);
  if (format == Format::raw) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} has raw keys, which have no fields: --key takes CSV, or a structured .npy array",
                    file.name()));
  }
  return format == Format::npy ? read_npy_records(file) : read_csv_records(file, !options.no_header);
}

KeyArray order_of(const Records& records, const std::vector<RecordKey>& keys, const CommonOptions& common,
                  KeyType index, std::optional<KeyType> type, bool verify, SortReport& report) {
  ProgressLine line;
  Sorter sorter(sorter_options(common, line));
  KeyArray order;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    KeyArray values = records.keys(key->field, type);
    report.keys.insert(report.keys.begin(), {records.names()[key->field], values.type, key->order});
    const bool first = key == keys.rbegin();
    if (!first) values.bytes = taken(values, order);
    KeyArray indices = argsort(sorter, values, key->order, index, verify, report);
    if (!first) indices.bytes = taken(order, indices);
    order = std::move(indices);
  }
  report.input = records.name();
  return order;
}

}  // namespace bitune::cli
