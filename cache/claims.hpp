#pragma once

/// \file
/// Who of several processes does what. For work that is to be done once, as measuring a configuration.

#include <filesystem>
#include <string_view>

namespace bitune {

/// Claims of one tuning session, on things that others may claim, too: locks in a file beside the database,
/// which is empty and goes away with the last session. The system gives a claim up with the process that has
/// it. Where the file cannot be made or locked, everybody gets all claims: then some work is done twice.
class Claims {
 public:
  explicit Claims(const std::filesystem::path& database);
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// False if another session has claimed it. Does not wait.
  [[nodiscard]] bool take(std::string_view what) const noexcept;
  void give_up(std::string_view what) const noexcept;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace bitune
