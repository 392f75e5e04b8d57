#pragma once

/// \file
/// Which trials someone asks for, in words.

#include <string>

#include "cache/tuning_database.hpp"

namespace bitune {

/// As people type them; empty ones do not restrict.
struct FilterTexts {
  std::string device;  ///< part of a name, or the beginning of a digest
  std::string operation;
  std::string key;
  std::string order;
  std::string n;  ///< "2^20"
  std::string rows;
  std::string k;
  std::string variant;
  std::string status;
};

/// The one device that `text` names: its number in the database's list, the beginning of its digest, or a
/// part of its name. \throws Error (usage) that lists the devices if there is none, or more than one
[[nodiscard]] DeviceRow find_device(const TuningDatabase& database, const std::string& text);

/// \throws Error (usage) for words that do not exist
[[nodiscard]] TrialFilter filter_of(const FilterTexts& texts, const TuningDatabase& database);

/// Whether any of them restricts.
[[nodiscard]] bool restricts(const FilterTexts& texts);

}  // namespace bitune
