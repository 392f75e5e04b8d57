#pragma once

/// \file
/// A tuning database of as many trials as one wants, made quickly.

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>

#include "cache/tuning_database.hpp"

namespace bitune::test {

/// Fills a new database at `path` with about this many trials: two devices, the twelve key types, 17 sizes
/// and six variants make 2448 series, which share a few hundred configurations of each variant; four of five
/// trials are verified, with 12 samples, and one of fifty is a finalist. In one transaction and by SQL:
/// storing each by itself would take an hour.
inline void make_many_trials(const std::filesystem::path& path, std::uint64_t trials) {
  constexpr std::uint64_t series = std::uint64_t{2} * 12 * 17 * 6;
  {
    TuningDatabase db(path, DatabaseMode::read_write);
    for (const int sms : {132, 114}) {
      DeviceInfo device;
      device.name = "GPU of " + std::to_string(sms);
      device.sm_count = sms;
      db.begin_session(device, {"GPU-1", "driver", "compiler"}, {});
    }
  }
  SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
  raw.exec("PRAGMA synchronous = OFF");
  SQLite::Transaction transaction(raw);
  raw.exec(R"sql(
CREATE TEMP TABLE keys (name TEXT, width INTEGER);
INSERT INTO keys VALUES ('u8', 1), ('i8', 1), ('u16', 2), ('i16', 2), ('f16', 2), ('bf16', 2), ('u32', 4), ('i32', 4),
  ('f32', 4), ('u64', 8), ('i64', 8), ('f64', 8);
CREATE TEMP TABLE variants (name TEXT);
INSERT INTO variants VALUES ('classic'), ('global'), ('shared'), ('warp'), ('cluster'), ('rows');
CREATE TEMP TABLE numbers (x INTEGER PRIMARY KEY);
WITH RECURSIVE count(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM count WHERE x < 4095) INSERT INTO numbers SELECT x FROM count;
INSERT INTO problems (operation, key_type, key_width, value_bytes, index_bytes, key_order, stable, k, n, rows, ragged)
SELECT 'sort', k.name, k.width, 0, 0, 'ascending', 0, 0, 1 << (10 + x), 1, 0 FROM keys k JOIN numbers ON x < 17;
INSERT INTO kernels (digest) VALUES ('kernels');
INSERT INTO series (device_id, problem_id, protocol_id, kernel_id, variant, imported)
SELECT d.id, p.id, 1, 1, v.name, 0 FROM devices d CROSS JOIN problems p CROSS JOIN variants v;
INSERT INTO configurations (variant, text)
SELECT name, printf('%s(block_size_x=%d,items_per_thread=%d)', name, 32 * (1 + x / 64), x % 64)
FROM variants JOIN numbers;
)sql");
  SQLite::Statement insert(raw, R"sql(
INSERT INTO trials (session_id, series_id, configuration_id, status, message, finalist, median_us, mad_us, low_us,
  high_us, samples, throttled, remeasured, compile_ms, verify_ms, measure_ms, registers, local_bytes, shared_bytes,
  launches, timestamp)
SELECT device_id, series_id, configuration_id, CASE WHEN ok THEN 'ok' ELSE 'spilled' END, '', ok AND x % 50 = 7,
  CASE WHEN ok THEN us END, CASE WHEN ok THEN 0 END, CASE WHEN ok THEN us END, CASE WHEN ok THEN us END,
  CASE WHEN ok THEN '[' || us || replace(hex(zeroblob(11)), '00', ',' || us) || ']' ELSE '[]' END,
  '', 0, 100, 5, 5, 32, CASE WHEN ok THEN 0 ELSE 8 END, 0, 4,
  strftime('%Y-%m-%d %H:%M:%S', 1767225600 + series_id * 4096 + x, 'unixepoch') || '.000'
FROM (SELECT s.device_id, s.id AS series_id, c.id AS configuration_id, x, (x * 7 + s.id) % 5 <> 0 AS ok,
        10.5 + (x * 7919 + s.id * 104729) % 100003 AS us
      FROM series s JOIN numbers ON x < ?1
      JOIN configurations c ON c.variant = s.variant AND c.text =
        printf('%s(block_size_x=%d,items_per_thread=%d)', s.variant, 32 * (1 + x / 64), x % 64)
      ORDER BY s.id, x))sql");
  insert.bind(1, static_cast<std::int64_t>((trials + series - 1) / series));
  insert.exec();
  transaction.commit();
}

}  // namespace bitune::test
