#pragma once

/// \file
/// Opening a tuning database, and turning SQLite's errors into ours. Private to the cache room.

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>

#include "bitune/error.hpp"
#include "cache/database/rows.hpp"
#include "cache/tuning_database.hpp"

namespace bitune::database {

/// Opens, creates or migrates as `DatabaseMode` says. \throws Error (database); a refused file is left
/// untouched.
[[nodiscard]] std::unique_ptr<SQLite::Database> open(const std::filesystem::path& path, DatabaseMode mode);

/// Creates a whole, empty tuning database at `path`, which must not exist. Readers see all of it or nothing.
void create_file(const std::filesystem::path& path);

/// The Error for what SQLite said while `doing` something ("storing a trial").
[[nodiscard]] Error error_of(const std::filesystem::path& path, const std::string& doing,
                             const SQLite::Exception& exception);

[[nodiscard]] Error error_of(const std::filesystem::path& path, const Unreadable& row);

/// \throws Error (database) if the file of the connection is no longer the one at `path`: SQLite would go on
/// writing to a file that nobody can open.
void require_in_place(const std::filesystem::path& path, SQLite::Database& db);

/// Whether another connection holds a lock: trying again can help.
[[nodiscard]] bool is_busy(const SQLite::Exception& exception) noexcept;

/// How long a writer waits for others, all attempts together, before it gives up.
inline constexpr std::chrono::seconds patience{120};

/// Calls `function` and returns its result. If other writers were in the way it is called again, for as long
/// as `patience`: SQLite gives up before its busy timeout where it suspects a deadlock. `function` must be a
/// whole transaction.
template <class Function>
auto guarded(const std::filesystem::path& path, const char* doing, Function&& function) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    try {
      return function();
    } catch (const Unreadable& row) {
      throw error_of(path, row);
    } catch (const SQLite::Exception& exception) {
      if (!is_busy(exception) || std::chrono::steady_clock::now() >= deadline)
        throw error_of(path, doing, exception);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace bitune::database
