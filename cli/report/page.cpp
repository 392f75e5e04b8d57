#include "cli/report/page.hpp"

#include <nlohmann/json.hpp>

namespace bitune::cli {

std::string embedded(const Json& model) {
  const std::string plain = model.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    // Outside of strings JSON has none of these.
    switch (c) {
      case '<':
        text += "\\u003c";
        break;
      case '>':
        text += "\\u003e";
        break;
      case '&':
        text += "\\u0026";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string page_of(const Json& model) {
  std::string page(page_before_data);
  page += embedded(model);
  page += page_after_data;
  return page;
}

}  // namespace bitune::cli
