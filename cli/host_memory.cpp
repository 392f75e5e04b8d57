#include "cli/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "bitune/error.hpp"
#include "model/problem.hpp"

namespace bitune::cli {
namespace {

namespace fs = std::filesystem;

/// The number behind a name, of lines "name 123" or "name: 123 kB".
std::optional<std::uint64_t> number_named(const fs::path& file, std::string_view name) {
  std::ifstream stream(file);
  std::uint64_t value = 0;
  for (std::string word; stream >> word;) {
    if (word == name) return stream >> value ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

/// The number that is all of a file. Nothing for "max".
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t value = 0;
  return stream >> value ? std::optional(value) : std::nullopt;
}

/// Names of the files of a control group, which differ between the two versions.
struct GroupFiles {
  const char* most;
  const char* used;
  const char* cache;  ///< in memory.stat: what the kernel gives back when memory is short
};

std::uint64_t room_in_group(const fs::path& folder, const GroupFiles& files) {
  const auto most = number_in(folder / files.most);
  const auto used = number_in(folder / files.used);
  if (!most || !used) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t held =
      *used - std::min(*used, number_named(folder / "memory.stat", files.cache).value_or(0));
  return *most - std::min(*most, held);
}

/// The least room of a group and of all that it is in. A container may see its own group as the root.
std::uint64_t room_in_groups(const fs::path& mounted, fs::path group, const GroupFiles& files) {
  std::uint64_t room = room_in_group(mounted, files);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    room = std::min(room, room_in_group(mounted / group, files));
  }
  return room;
}

}  // namespace

std::uint64_t free_host_memory(const fs::path& root) {
  std::uint64_t free = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_named(root / "proc/meminfo", "MemAvailable:")) free = *kilobytes * 1024;
  // Lines "4:memory:/group" of version 1, and "0::/group" of version 2.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      free = std::min(free, room_in_groups(root / "sys/fs/cgroup", group,
                                           {"memory.max", "memory.current", "inactive_file"}));
    } else if (controllers.find(",memory,") != std::string::npos) {
      free = std::min(
          free, room_in_groups(root / "sys/fs/cgroup/memory", group,
                               {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}));
    }
  }
  return free;
}

ReadLimit read_limit_of(const std::string& option) {
  if (option.empty()) return {free_host_memory() / 2, "half of the memory that this host has free"};
  try {
    return {parse_size(option), "as --max-bytes says"};
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--max-bytes: {}", error.what()));
  }
}

}  // namespace bitune::cli
