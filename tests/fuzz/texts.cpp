// Texts that options, files and workers hand over.

#include <xxhash.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cache/kernel_file.hpp"
#include "cli/durations.hpp"
#include "measure/json.hpp"
#include "model/configuration.hpp"
#include "model/problem.hpp"
#include "model/trial.hpp"
#include "tests/fuzz/target.hpp"
#include "tuner/exchange/import.hpp"
#include "tuner/request_json.hpp"

namespace bitune::fuzz {

void options(std::string_view bytes) {
  accepts([&] { static_cast<void>(parse_size(bytes)); });
  accepts([&] {
    const auto sizes = parse_sizes(bytes);
    for (std::size_t i = 1; i < sizes.size(); ++i) require(sizes[i - 1] < sizes[i], "sizes are not in order");
  });
  accepts([&] { require(cli::parse_duration(bytes) > 0, "a duration that is none"); });
  accepts([&] { static_cast<void>(cli::parse_budget(bytes)); });
  accepts([&] {
    const double precision = cli::parse_precision(bytes);
    require(precision >= 0 && precision < 1, "a precision out of range");
  });
  accepts([&] { static_cast<void>(Protocol::parse(bytes)); });
}

void configuration(std::string_view bytes) {
  accepts([&] {
    const Configuration parsed = Configuration::parse(bytes);
    require(Configuration::parse(parsed.text()) == parsed, "a configuration that does not read back");
  });
}

// The file is given the checksum that it needs: else nothing but the checksum would be tried.
void kernel_file(std::string_view bytes) {
  static_cast<void>(bitune::kernel_file::decode(bytes, "digest"));
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  std::string file("BITUNEK\n\1\0\0\0", 12);
  for (int shift = 0; shift < 64; shift += 8) file += static_cast<char>((checksum >> shift) & 0xff);
  file += bytes;
  const auto image = bitune::kernel_file::decode(file, "digest");
  if (image)
    require(bitune::kernel_file::encode("digest", *image) == file, "an image that does not read back");
}

void exchange(std::string_view bytes) {
  const MemoryFile memory(bytes);
  accepts([&] {
    for (const ImportedTrials& import : plan_import({memory.path()}, std::nullopt).trials) {
      for (const Trial& trial : import.trials) {
        require(trial.status != TrialStatus::ok, "what a file claims counts as verified");
      }
    }
  });
}

void request(std::string_view bytes) {
  const Json json = Json::parse(bytes, nullptr, false);  // as the worker does
  if (json.is_discarded()) return;
  accepts([&] {
    const EvaluationRequest read = request_from(json);
    require(json_of(request_from(json_of(read))) == json_of(read), "a request that does not read back");
  });
  accepts([&] { static_cast<void>(trial_from(json)); });
}

}  // namespace bitune::fuzz
