#include "tuner/exchange/recordings.hpp"

#include <fmt/format.h>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tuner/exchange/document.hpp"
#include "tuner/exchange/readers.hpp"

namespace bitune {
namespace {

using exchange::Value;

struct Format {
  const char* name;
  std::vector<Recording> (*read)(const Value& document);
};

// Each format has members that no other one has.
Format format_of(const Value& document) {
  if (document.find("cache") != nullptr) return {"cache", exchange::read_cache};
  if (document.find("results") != nullptr) return {"T4", exchange::read_t4};
  if (document.find("version_number") != nullptr) return {"results", exchange::read_results};
  if (document.find("recordings") != nullptr) return {"trials", exchange::read_trials};
  throw Error(ErrorCode::input,
              "it is none of: a cache of Kernel Tuner, T4 results, a results file, or what "
              "'bitune db export --format json' writes");
}

}  // namespace

void exchange::check_version(const Value& object) {
  const std::int64_t version = object.at("version").integer(0, 1'000'000);
  if (version == exchange_version) return;
  throw Error(ErrorCode::input,
              fmt::format("it is of version {} of bitune's format, and this bitune knows {}; upgrade",
                          version, exchange_version));
}

std::vector<Recording> read_recordings(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string text = exchange::read_text(path, limits.bytes);
  try {
    const Value document = exchange::parse_document(text, limits);
    const Format format = format_of(document);
    std::vector<Recording> recordings = format.read(document);
    for (Recording& recording : recordings) {
      // What came from a file before it came into this one keeps telling of that.
      const std::string before = recording.source.empty() ? "" : " of " + recording.source;
      recording.source = fmt::format("{} '{}'{}", format.name, path.filename().string(), before);
    }
    return recordings;
  } catch (const Error& error) {
    throw Error(ErrorCode::input, fmt::format("'{}': {}", path.string(), error.what()));
  }
}

std::string kernel_name_of(const Problem& problem, std::string_view variant) {
  // Keys alone were the first that there was: nothing says so.
  const std::string word = word_of(problem);
  return fmt::format("bitune_{}_{}", variant,
                     word.starts_with("sort_") && !word.starts_with("sort_pairs") ? word.substr(5) : word);
}

}  // namespace bitune
