#pragma once

/// \file
/// The page of a report: one file that needs no other and no network.

#include <string>

#include "measure/json.hpp"

namespace bitune::cli {

/// The document as it stands in the page: compressed (zlib) and in base64, so that no text of a database can
/// be taken for markup. Bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string embedded(const Json& model);

/// The page that shows the model.
[[nodiscard]] std::string page_of(const Json& model);

}  // namespace bitune::cli
