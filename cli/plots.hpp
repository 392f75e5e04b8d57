#pragma once

/// \file
/// Plots of results, drawn by a Python script that travels with the command.

#include <string>
#include <string_view>

namespace bitune::cli {

/// Draws the records of the suite "presets" (a JSON array) as SVG files into the folder. Runs
/// share/bitune/plot_presets.py, which lies beside the executable's folder, with $BITUNE_PYTHON, else
/// python3. \throws Error (unavailable) that says what is missing; Error (io)
void draw_plots(std::string_view records_json, const std::string& folder);

}  // namespace bitune::cli
