#pragma once

/// \file
/// A reader for each format. Private to the exchange formats. The trials have no source yet.
/// All throw Error (input) that names the entry.

#include <vector>

#include "tuner/exchange/document.hpp"
#include "tuner/exchange/recordings.hpp"

namespace bitune::exchange {

[[nodiscard]] std::vector<Recording> read_cache(const Value& document);
[[nodiscard]] std::vector<Recording> read_t4(const Value& document);
[[nodiscard]] std::vector<Recording> read_results(const Value& document);
[[nodiscard]] std::vector<Recording> read_trials(const Value& document);

/// Version of what bitune adds to the formats of others (member "bitune"), and of its own.
inline constexpr int exchange_version = 1;

/// Refuses a member "version" that is not `exchange_version`.
void check_version(const Value& object);

}  // namespace bitune::exchange
