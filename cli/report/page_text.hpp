#pragma once

/// \file
/// What cmake/EmbedPage.cmake makes of the folder `page`.

#include <string_view>

namespace bitune::cli {

/// The page as it is before and after the data: template, style, scripts and Chart.js, put together when
/// bitune was built.
extern const std::string_view page_before_data;
extern const std::string_view page_after_data;

}  // namespace bitune::cli
