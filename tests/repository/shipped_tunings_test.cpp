// The tunings that the repository ships are of today's kernels, and can be selected.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cache/tuning_database.hpp"
#include "model/configuration.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/selection.hpp"
#include "runtime/selection_ladder.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

TEST(ShippedTunings, AreValidConfigurationsOfTodaysKernels) {
  const TuningDatabase database(BITUNE_TEST_DATA "/../../data/tunings.db", DatabaseMode::read_only);
  EXPECT_TRUE(database.check().empty());
  std::map<std::string, DeviceInfo> devices;
  for (const DeviceRow& row : database.devices()) devices.emplace(row.info.digest(), row.info);
  const auto rows = database.trials({});
  ASSERT_FALSE(rows.empty());
  for (const TrialRow& row : rows) {
    const Trial& trial = row.trial;
    const Variant& family = variant(trial.configuration.variant);
    EXPECT_EQ(trial.kernel_digest, kernel_sources_digest(family.name()))
        << trial.configuration.text() << " was measured with other kernels: tune again on that device";
    const auto violation = family.space(trial.problem, devices.at(row.device_digest))
                               .violation(trial.configuration, trial.problem, devices.at(row.device_digest));
    EXPECT_FALSE(violation) << trial.configuration.text() << ": " << violation.value_or("");
  }
}

/// A record of bench/results/<gpu>/ that was measured with today's kernels.
struct Record {
  Problem problem;
  std::string configuration;
  std::string device;
};

std::vector<Record> recorded_results() {
  std::vector<Record> records;
  const std::filesystem::path results = BITUNE_TEST_DATA "/../../bench/results";
  for (const auto& folder : std::filesystem::directory_iterator(results)) {
    for (const char* suite : {"single.json", "rows.json"}) {
      std::ifstream file(folder.path() / suite);
      for (const nlohmann::json& record : nlohmann::json::parse(file)) {
        const std::string configuration = record.at("configuration");
        const std::string digest = kernel_sources_digest(Configuration::parse(configuration).variant);
        if (record.value("kernel", "") != digest) continue;
        records.push_back({{{.key = parse_key_type(record.at("key_type").get<std::string>()),
                             .order = parse_order(record.at("order").get<std::string>())},
                            {.n = record.at("n"), .rows = record.at("rows")}},
                           configuration,
                           record.at("device")});
      }
    }
  }
  return records;
}

TEST(ShippedTunings, SelectWhatTheRecordedResultsWereMeasuredWith) {
  const TuningDatabase database(BITUNE_TEST_DATA "/../../data/tunings.db", DatabaseMode::read_only);
  std::map<std::string, DeviceInfo> devices;
  for (const DeviceRow& row : database.devices()) devices.emplace(row.info.name, row.info);
  const std::vector<Record> records = recorded_results();
  ASSERT_GE(records.size(), 99u);
  for (const Record& record : records) {
    const Selection selection =
        select(record.problem, devices.at(record.device), {{}, database.candidates(record.problem)});
    EXPECT_EQ(selection.configuration.text(), record.configuration)
        << text_of(record.problem) << ": leave the record out, or measure it again";
  }
}

}  // namespace
}  // namespace bitune
