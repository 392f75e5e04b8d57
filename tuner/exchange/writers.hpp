#pragma once

/// \file
/// A writer for each format. Private to the exchange formats.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/exchange/series.hpp"

namespace bitune::exchange {

/// \param open leaves off the end, so that Kernel Tuner goes on where the file ends
[[nodiscard]] std::string cache_text(const Series& series, bool open);
[[nodiscard]] std::string t4_text(const Series& series);
/// \param cache_name the file that holds the measurements
[[nodiscard]] std::string t1_text(const Series& series, std::string_view cache_name);
/// Series of one kernel, with the same parameters, of which each has a best.
[[nodiscard]] std::string results_text(const std::vector<const Series*>& series);
[[nodiscard]] std::string wisdom_text(const std::vector<const Series*>& series);
[[nodiscard]] std::string csv_text(const std::vector<TrialRow>& rows);
[[nodiscard]] std::string trials_text(const std::vector<TrialRow>& rows,
                                      const std::vector<DeviceRow>& devices);

/// A device's name as it stands in names of files and in results files: "NVIDIA_H200".
[[nodiscard]] std::string plain_name(std::string_view name);

}  // namespace bitune::exchange
