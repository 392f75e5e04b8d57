#include "runtime/emulated/emulated_options.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "bitune/error.hpp"

namespace bitune::emulated {
namespace {

// The number in an environment variable, if it is set and not empty.
template <typename Number>
std::optional<Number> number_in(const char* name, Number lowest, Number highest) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  const std::string_view text = value;
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < lowest || number > highest) {
    throw Error(ErrorCode::usage,
                fmt::format("{}={} is wrong: set it to a whole number from {} to {}, or unset it.", name,
                            text, lowest, highest));
  }
  return number;
}

template <typename Number>
void check_range(std::string_view name, Number value, Number lowest, Number highest) {
  if (value >= lowest && value <= highest) return;
  throw Error(ErrorCode::usage,
              fmt::format("The emulated device cannot have {}={}: it must be from {} to {}.", name, value,
                          lowest, highest));
}

constexpr int most_sms = 1024;
constexpr std::int64_t most_shared_bytes = 16 * 1024 * 1024;
constexpr int most_host_threads = 1024;

}  // namespace

EmulatedOptions EmulatedOptions::from_environment() {
  EmulatedOptions options;
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  options.seed = number_in<std::uint64_t>("BITUNE_EMULATOR_SEED", 0, any);
  options.sm_count = number_in("BITUNE_EMULATOR_SMS", 1, most_sms).value_or(options.sm_count);
  options.shared_bytes_per_block =
      number_in<std::int64_t>("BITUNE_EMULATOR_SHARED_BYTES", 1024, most_shared_bytes)
          .value_or(options.shared_bytes_per_block);
  options.host_threads =
      number_in("BITUNE_EMULATOR_THREADS", 1, most_host_threads).value_or(options.host_threads);
  return options;
}

void EmulatedOptions::check() const {
  check_range("sm_count", sm_count, 1, most_sms);
  check_range("warp_size", warp_size, 1, 32);
  if (!std::has_single_bit(static_cast<unsigned>(warp_size))) {
    throw Error(
        ErrorCode::usage,
        fmt::format("The emulated device cannot have warp_size={}: it must be a power of two.", warp_size));
  }
  check_range("max_threads_per_block", max_threads_per_block, 1, 1024);
  check_range<std::int64_t>("shared_bytes_per_block", shared_bytes_per_block, 0, most_shared_bytes);
  check_range("max_cluster_size", max_cluster_size, 1, 16);
  check_range<std::int64_t>("memory_bytes", memory_bytes, 1, std::numeric_limits<std::int64_t>::max());
  check_range("host_threads", host_threads, 0, most_host_threads);
}

}  // namespace bitune::emulated
