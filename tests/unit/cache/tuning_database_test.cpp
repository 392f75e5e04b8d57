#include "cache/tuning_database.hpp"

#include <limits>

#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class TuningDatabaseTest : public DirectoryTest {
 protected:
  std::filesystem::path path = directory / "some" / "folder" / "tuning.db";
  TuningDatabase db{path, DatabaseMode::read_write};
};

Trial full_trial() {
  Trial trial;
  trial.problem = {{.operation = Operation::sort_pairs,
                    .key = KeyType::bf16,
                    .value_bytes = 8,
                    .order = Order::descending},
                   {.n = 12345, .rows = 7}};
  trial.configuration = Configuration::parse("shared(items=-3,tile=4096)");
  trial.kernel_digest = "0123456789abcdef";
  trial.status = TrialStatus::wrong_result;
  trial.message = "key 17 is out of order; 'quoted' and\nbroken";
  trial.samples_us = {0.1, 1e-9, 123456.789012345678, 0, 1e15};
  trial.clock = {1755, 1980, sw_power_cap | hw_thermal};
  trial.remeasured = 2;
  trial.compile_ms = 12.5;
  trial.verify_ms = 0.25;
  trial.measure_ms = 1e-3;
  trial.registers = 255;
  trial.local_bytes = 16;
  trial.shared_bytes = 232448;
  trial.launches = 99;
  trial.finalist = true;
  trial.timestamp = "2026-11-21 12:00:00.123";
  return trial;
}

void expect_equal(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.kernel_digest, b.kernel_digest);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.samples_us, b.samples_us) << "samples are kept to the last bit";
  EXPECT_EQ(a.clock, b.clock);
  EXPECT_EQ(a.remeasured, b.remeasured);
  EXPECT_EQ(a.compile_ms, b.compile_ms);
  EXPECT_EQ(a.verify_ms, b.verify_ms);
  EXPECT_EQ(a.measure_ms, b.measure_ms);
  EXPECT_EQ(a.registers, b.registers);
  EXPECT_EQ(a.local_bytes, b.local_bytes);
  EXPECT_EQ(a.shared_bytes, b.shared_bytes);
  EXPECT_EQ(a.launches, b.launches);
  EXPECT_EQ(a.finalist, b.finalist);
  EXPECT_EQ(a.timestamp, b.timestamp);
}

TEST_F(TuningDatabaseTest, ADeviceGainsAFactAndKeepsItsTrials) {
  DeviceInfo unknown = h200();
  unknown.memory_gb_per_s = 0;  // as an older bitune left it
  static_cast<void>(db.store(db.begin_session(unknown, software(), {}), full_trial()));
  EXPECT_EQ(db.devices().at(0).info, unknown);
  DeviceInfo known = unknown;
  known.memory_gb_per_s = 4917;
  static_cast<void>(db.store(db.begin_session(known, software(), {}), full_trial()));
  const auto devices = db.devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].info, known);
  EXPECT_EQ(devices[0].trials, 2u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(TuningDatabaseTest, ATrialIsReadBackAsItWasStored) {
  Protocol protocol;
  protocol.cold_l2 = true;
  const auto session = db.begin_session(h200(), software(), protocol);
  const auto id = db.store(session, full_trial());
  const auto row = db.trial(id);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->id, id);
  EXPECT_EQ(row->device_digest, h200().digest());
  EXPECT_EQ(row->device_name, "NVIDIA H200");
  EXPECT_EQ(row->software, software());
  EXPECT_EQ(row->protocol, protocol);
  expect_equal(row->trial, full_trial());
  EXPECT_EQ(row->statistics, statistics_of(full_trial().samples_us));
  EXPECT_EQ(db.trial(id + 1), std::nullopt);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
}

TEST_F(TuningDatabaseTest, AnotherConnectionSeesTheTrialAtOnce) {
  const TuningDatabase reader(path, DatabaseMode::read_only);
  const auto session = db.begin_session(h200(), software(), {});
  const auto id = db.store(session, full_trial());
  ASSERT_TRUE(reader.trial(id));
  expect_equal(reader.trial(id)->trial, full_trial());
}

TEST_F(TuningDatabaseTest, ATrialWithoutTimestampGetsTheTime) {
  const auto session = db.begin_session(h200(), software(), {});
  const auto row = db.trial(db.store(session, trial(problem(), "warp(a=1)", 5)));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->trial.timestamp.size(), std::string("2026-11-21 12:00:00.123").size());
  EXPECT_GT(row->trial.timestamp, "2024-01-01 00:00:00.000");
  EXPECT_EQ(db.devices().at(0).last_seen.substr(0, 10), row->trial.timestamp.substr(0, 10));
}

TEST_F(TuningDatabaseTest, WhatCouldNotBeReadBackIsRefused) {
  const auto session = db.begin_session(h200(), software(), {});
  const auto refused = [&](const std::function<void(Trial&)>& change) {
    Trial bad = full_trial();
    change(bad);
    try {
      db.store(session, bad);
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
  };
  EXPECT_TRUE(refused([](Trial& t) { t.samples_us[1] = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Trial& t) { t.samples_us[1] = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](Trial& t) { t.samples_us[1] = -1; }));
  EXPECT_TRUE(refused([](Trial& t) { t.samples_us.assign(2, 1e308); })) << "their median would overflow";
  EXPECT_TRUE(refused([](Trial& t) { t.verify_ms = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Trial& t) { t.timestamp = "yesterday"; }));
  EXPECT_TRUE(refused([](Trial& t) { t.timestamp = "2026-11-21T12:00:00.123"; }));
  EXPECT_TRUE(refused([](Trial& t) { t.configuration.variant = "two words"; }));
  EXPECT_TRUE(refused([](Trial& t) { t.configuration.parameters["a,b"] = 1; }));
  EXPECT_TRUE(refused([](Trial& t) { t.problem.n = std::uint64_t{1} << 63; }));
  EXPECT_THROW(db.store(session + 1, full_trial()), Error) << "there is no such session";
  Protocol spaced;
  spaced.distribution = "two words";
  EXPECT_THROW(db.begin_session(h200(), software(), spaced), Error);
  EXPECT_TRUE(db.trials({}).empty()) << "a refused trial leaves nothing behind";
}

TEST_F(TuningDatabaseTest, TriedIsOfOneDeviceProblemAndProtocol) {
  Protocol cold;
  cold.cold_l2 = true;
  const auto warm_session = db.begin_session(h200(), software(), {});
  const auto cold_session = db.begin_session(h200(), software(), cold);
  const auto other_session = db.begin_session(emulated(), {"emulated", "emulated", "g++ 12.2.0"}, {});
  Trial failed = trial(problem(), "warp(a=2)", 1);
  failed.status = TrialStatus::timed_out;
  failed.samples_us.clear();
  Trial newer = trial(problem(), "warp(a=1)", 1);
  newer.kernel_digest = "kernels-b";
  db.store(warm_session, trial(problem(), "warp(a=1)", 1));
  db.store(warm_session, trial(problem(), "warp(a=1)", 2));
  db.store(warm_session, newer);
  db.store(warm_session, failed);
  db.store(warm_session, trial(problem(2048), "warp(a=3)", 1));
  db.store(warm_session, trial(problem(1024, KeyType::f32), "warp(a=4)", 1));
  db.store(cold_session, trial(problem(), "warp(a=5)", 1));
  db.store(other_session, trial(problem(), "warp(a=6)", 1));

  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(db.tried(h200().digest(), problem(), {}),
            (Pairs{{"warp(a=1)", "kernels-a"}, {"warp(a=1)", "kernels-b"}, {"warp(a=2)", "kernels-a"}}));
  EXPECT_EQ(db.tried(h200().digest(), problem(), cold), (Pairs{{"warp(a=5)", "kernels-a"}}));
  EXPECT_EQ(db.tried(emulated().digest(), problem(), {}), (Pairs{{"warp(a=6)", "kernels-a"}}));
  EXPECT_EQ(db.tried("no such device", problem(), {}), Pairs{});
}

TEST_F(TuningDatabaseTest, DevicesAreFactsWithTheirNewestSoftware) {
  EXPECT_TRUE(db.devices().empty());
  const auto first = db.begin_session(h200(), software(), {});
  db.store(first, trial(problem(), "warp(a=1)", 1));
  db.store(first, trial(problem(), "warp(a=2)", 1));
  const DeviceSoftware newer = {"GPU-2", "600.1 (CUDA 14.0)", "nvrtc 14.0"};
  db.begin_session(h200(), newer, {});
  db.begin_session(emulated(), {"emulated", "emulated", "g++ 12.2.0"}, {});

  const auto rows = db.devices();
  ASSERT_EQ(rows.size(), 2u) << "the same facts are the same device";
  EXPECT_EQ(rows[0].info, h200());
  EXPECT_EQ(rows[0].software, newer);
  EXPECT_EQ(rows[0].trials, 2u);
  EXPECT_EQ(rows[1].info, emulated());
  EXPECT_EQ(rows[1].trials, 0u);
}

TEST_F(TuningDatabaseTest, FiltersRestrictTrials) {
  const auto session = db.begin_session(h200(), software(), {});
  const auto other = db.begin_session(emulated(), {"emulated", "emulated", "g++ 12.2.0"}, {});
  const auto a = db.store(session, trial(problem(1024), "warp(a=1)", 1));
  const auto b = db.store(session, full_trial());
  const auto c = db.store(other, trial(problem(2048), "global(b=1)", 1));

  const auto ids = [this](const std::function<void(TrialFilter&)>& set) {
    TrialFilter filter;
    set(filter);
    std::vector<std::int64_t> found;
    for (const TrialRow& row : db.trials(filter)) found.push_back(row.id);
    return found;
  };
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(ids([](TrialFilter&) {}), (Ids{c, b, a})) << "newest first";
  EXPECT_EQ(ids([](TrialFilter& f) { f.limit = 2; }), (Ids{c, b}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.device_digest = emulated().digest(); }), (Ids{c}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.device_name_contains = "h200"; }), (Ids{b, a}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.device_name_contains = "%"; }), Ids{}) << "a text, not a pattern";
  EXPECT_EQ(ids([](TrialFilter& f) { f.key = KeyType::bf16; }), (Ids{b}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.order = Order::ascending; }), (Ids{c, a}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.n = 2048; }), (Ids{c}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.rows = 7; }), (Ids{b}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.variant = "warp"; }), (Ids{a}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.status = TrialStatus::wrong_result; }), (Ids{b}));
  EXPECT_EQ(ids([](TrialFilter& f) { f.kernel_digest = "kernels-a"; }), (Ids{c, a}));
  EXPECT_EQ(ids([](TrialFilter& f) {
              f.kernel_digest = "kernels-a";
              f.n = 1024;
              f.limit = 5;
            }),
            (Ids{a}));
}

TEST_F(TuningDatabaseTest, SummariesCountAndNameTheBest) {
  const auto session = db.begin_session(h200(), software(), {});
  Trial failed = trial(problem(), "warp(a=9)", 1);
  failed.status = TrialStatus::compile_failed;
  failed.samples_us.clear();
  db.store(session, trial(problem(), "warp(a=1)", 20));
  const auto best = db.store(session, trial(problem(), "warp(a=2)", 10));
  const auto shared = db.store(session, trial(problem(), "shared(a=2)", 15));
  db.store(session, failed);
  Trial only_failed = failed;
  only_failed.problem.n = 4096;
  db.store(session, only_failed);

  const auto rows = db.summaries({});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].problem, problem());
  EXPECT_EQ(rows[0].trials, 4u);
  EXPECT_EQ(rows[0].ok, 3u);
  ASSERT_TRUE(rows[0].best);
  EXPECT_EQ(rows[0].best->id, best);
  EXPECT_EQ(rows[1].trials, 1u);
  EXPECT_EQ(rows[1].ok, 0u);
  EXPECT_FALSE(rows[1].best);

  TrialFilter only_shared;
  only_shared.variant = "shared";
  const auto filtered = db.summaries(only_shared);
  ASSERT_EQ(filtered.size(), 1u);
  EXPECT_EQ(filtered[0].trials, 1u);
  EXPECT_EQ(filtered[0].best->id, shared);

  TrialFilter only_failed_ones;
  only_failed_ones.status = TrialStatus::compile_failed;
  only_failed_ones.limit = 1;
  const auto failures = db.summaries(only_failed_ones);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].problem, problem());
  EXPECT_EQ(failures[0].trials, 1u);
  EXPECT_EQ(failures[0].ok, 0u);
  EXPECT_FALSE(failures[0].best) << "a failed trial is never the best";
}

TEST_F(TuningDatabaseTest, PruneDeletesWhatMatches) {
  const auto session = db.begin_session(h200(), software(), {});
  const auto old = db.store(session, trial(problem(), "warp(a=1)", 10));
  const auto newer = db.store(session, trial(problem(), "warp(a=1)", 11));
  db.store(session, trial(problem(2048), "warp(a=1)", 12));

  EXPECT_EQ(db.prune({}, true, true), 1u);
  EXPECT_EQ(db.trials({}).size(), 3u) << "a dry run deletes nothing";
  EXPECT_EQ(db.prune({}, true), 1u);
  EXPECT_FALSE(db.trial(old));
  EXPECT_TRUE(db.trial(newer));
  EXPECT_EQ(db.prune({}, true), 0u);

  TrialFilter filter;
  filter.n = 2048;
  EXPECT_EQ(db.prune(filter, false), 1u);
  EXPECT_EQ(db.trials({}).size(), 1u);
  EXPECT_EQ(db.check(), std::vector<std::string>{});
  db.store(session, trial(problem(2048), "warp(a=1)", 12));
  EXPECT_EQ(db.trials({}).size(), 2u) << "a session under way goes on after pruning";
}

TEST_F(TuningDatabaseTest, AReadOnlyDatabaseRefusesToWrite) {
  const auto session = db.begin_session(h200(), software(), {});
  TuningDatabase reader(path, DatabaseMode::read_only);
  refusal(path, [&] { reader.store(session, full_trial()); });
  refusal(path, [&] { reader.begin_session(h200(), software(), {}); });
  refusal(path, [&] { reader.prune({}, false); });
  EXPECT_EQ(reader.prune({}, false, true), 0u) << "counting writes nothing";
}

TEST_F(TuningDatabaseTest, MovedDatabasesWork) {
  TuningDatabase moved = std::move(db);
  moved.store(moved.begin_session(h200(), software(), {}), full_trial());
  EXPECT_EQ(moved.trials({}).size(), 1u);
  EXPECT_EQ(moved.path(), path);
}

TEST(DefaultPath, FollowsTheEnvironment) {
  const auto with = [](const char* db, const char* data, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
    };
    const std::pair<const char*, const char*> wanted[] = {
        {"BITUNE_DB", db}, {"XDG_DATA_HOME", data}, {"HOME", home}};
    std::vector<std::pair<const char*, std::optional<std::string>>> before;
    for (const auto& [name, value] : wanted) {
      const char* old = std::getenv(name);
      before.emplace_back(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
      set(name, value);
    }
    std::string path;
    try {
      path = TuningDatabase::default_path().string();
    } catch (const Error&) {
      path = "refused";
    }
    for (const auto& [name, value] : before) set(name, value ? value->c_str() : nullptr);
    return path;
  };
  EXPECT_EQ(with("/a/my.db", "/data", "/people/me"), "/a/my.db");
  EXPECT_EQ(with(nullptr, "/data", "/people/me"), "/data/bitune/tuning.db");
  EXPECT_EQ(with("", "", "/people/me"), "/people/me/.local/share/bitune/tuning.db");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "refused");
}

}  // namespace
}  // namespace bitune::test
