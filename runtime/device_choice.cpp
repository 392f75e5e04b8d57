#include "runtime/device_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "bitune/error.hpp"

namespace bitune {
namespace {

/// "0 (GPU-5a...), 1 (GPU-77...) and 'emulated'", for errors.
std::string listing(const DeviceInventory& inventory) {
  if (inventory.gpus.empty()) return fmt::format("only 'emulated': {}", inventory.why_no_gpu);
  std::string text;
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", i, inventory.gpus[i]);
  }
  return text + " and 'emulated'";
}

DeviceChoice choose_automatically(const DeviceInventory& inventory) {
  const auto uuid = [&](int gpu) { return inventory.gpus[static_cast<std::size_t>(gpu)]; };
  if (inventory.gpus.empty()) {
    return {-1,
            fmt::format("the emulated device was taken, since there is no GPU: {}", inventory.why_no_gpu)};
  }
  if (inventory.current_gpu >= 0) {
    return {inventory.current_gpu, fmt::format("GPU {} ({}) was taken, whose context is current",
                                               inventory.current_gpu, uuid(inventory.current_gpu))};
  }
  return {0, fmt::format("GPU 0 ({}) was taken, the first that the driver lists", uuid(0))};
}

DeviceChoice choose_by_uuid(std::string beginning, const DeviceInventory& inventory) {
  std::transform(beginning.begin() + 4, beginning.end(), beginning.begin() + 4,
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::vector<int> matches;
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
    if (inventory.gpus[i].starts_with(beginning)) matches.push_back(static_cast<int>(i));
  }
  if (matches.size() == 1) return {matches.front(), {}};
  throw Error(ErrorCode::unavailable,
              fmt::format("{} whose UUID begins with '{}'; there are {}",
                          matches.empty() ? "there is no GPU" : "there are several GPUs", beginning,
                          listing(inventory)));
}

}  // namespace

DeviceChoice choose_device(const std::string& selector, const DeviceInventory& inventory) {
  if (selector == "auto") return choose_automatically(inventory);
  if (selector == "emulated") return {-1, {}};
  if (selector.starts_with("GPU-")) return choose_by_uuid(selector, inventory);

  int ordinal = -1;
  const char* const end = selector.data() + selector.size();
  const auto read = std::from_chars(selector.data(), end, ordinal);
  if (read.ptr != end || selector.empty() || selector.front() == '-') {
    throw Error(ErrorCode::usage,
                fmt::format("'{}' names no device: give an index such as 0, a UUID or its beginning such as "
                            "GPU-5a, 'emulated' or 'auto'; there are {}",
                            selector, listing(inventory)));
  }
  if (read.ec != std::errc() || ordinal >= static_cast<int>(inventory.gpus.size())) {
    throw Error(ErrorCode::unavailable,
                fmt::format("there is no GPU {}; there are {}", selector, listing(inventory)));
  }
  return {ordinal, {}};
}

}  // namespace bitune
