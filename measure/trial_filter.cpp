#include "measure/trial_filter.hpp"

#include <fmt/format.h>

#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

std::string device_list(const std::vector<DeviceRow>& devices) {
  std::string text;
  for (const DeviceRow& row : devices) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", row.info.name, row.info.digest().substr(0, 8));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

DeviceRow find_device(const TuningDatabase& database, const std::string& text) {
  const auto devices = database.devices();
  std::vector<DeviceRow> found;
  for (const DeviceRow& row : devices) {
    if (row.info.name == text || row.info.digest() == text || row.software.uuid == text) {
      return row;
    }
    if (row.info.name.find(text) != std::string::npos || row.info.digest().starts_with(text)) {
      found.push_back(row);
    }
  }
  if (found.size() != 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("'{}' names {} device of {}; there are: {}", text, found.empty() ? "no" : "more than one",
                    database.path().string(), device_list(found.empty() ? devices : found)));
  }
  return found.front();
}

TrialFilter filter_of(const FilterTexts& texts, const TuningDatabase& database) {
  TrialFilter filter;
  if (!texts.device.empty()) {
    filter.device_digest = find_device(database, texts.device).info.digest();
  }
  if (!texts.operation.empty()) {
    filter.operation = parse_operation(texts.operation);
  }
  if (!texts.key.empty()) {
    filter.key = parse_key_type(texts.key);
  }
  if (!texts.order.empty()) {
    filter.order = parse_order(texts.order);
  }
  if (!texts.n.empty()) {
    filter.n = parse_size(texts.n);
  }
  if (!texts.rows.empty()) {
    filter.rows = parse_size(texts.rows);
  }
  if (!texts.k.empty()) {
    filter.k = parse_size(texts.k);
  }
  if (!texts.variant.empty()) {
    filter.variant = variant(texts.variant).name();
  }
  if (!texts.status.empty()) {
    filter.status = parse_trial_status(texts.status);
  }
  return filter;
}

bool restricts(const FilterTexts& texts) {
  return !(texts.device.empty() && texts.operation.empty() && texts.key.empty() && texts.order.empty() &&
           texts.n.empty() && texts.rows.empty() && texts.k.empty() && texts.variant.empty() &&
           texts.status.empty());
}

}  // namespace bitune
