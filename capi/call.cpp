#include "capi/call.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#include "bitune/log.hpp"

namespace bitune::capi {
namespace {

thread_local std::string last_sentence;
thread_local const char* last_error = "";

constexpr std::array status_names = {"ok",          "usage",   "input",        "io",
                                     "unavailable", "device",  "compile",      "out_of_resources",
                                     "database",    "capture", "verification", "cancelled"};

static_assert(static_cast<int>(ErrorCode::usage) + 1 == BITUNE_ERROR_USAGE);
static_assert(static_cast<int>(ErrorCode::out_of_resources) + 1 == BITUNE_ERROR_OUT_OF_RESOURCES);
static_assert(static_cast<int>(ErrorCode::cancelled) + 1 == BITUNE_ERROR_CANCELLED);
static_assert(status_names.size() == BITUNE_ERROR_CANCELLED + 1);

}  // namespace

bitune_status fail(bitune_status status, std::string_view sentence) noexcept {
  try {
    last_sentence = sentence;
    last_error = last_sentence.c_str();
  } catch (...) {
    last_error = "the host has not enough memory to say what failed";
  }
  return status;
}

bitune_status status_of(ErrorCode code) noexcept { return static_cast<bitune_status>(code) + 1; }

void require(const void* pointer, std::string_view argument) {
  if (pointer == nullptr) throw Error(ErrorCode::usage, fmt::format("'{}' is null", argument));
}

char* text_for_caller(std::string_view text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace bitune::capi

using bitune::capi::guarded;

extern "C" {

uint32_t bitune_abi_version(void) { return BITUNE_ABI_VERSION; }

const char* bitune_version(void) { return BITUNE_VERSION; }

const char* bitune_status_name(bitune_status status) {
  if (status == BITUNE_ERROR_MEMORY) return "memory";
  if (status == BITUNE_ERROR_INTERNAL) return "internal";
  const auto& names = bitune::capi::status_names;
  return status >= 0 && static_cast<std::size_t>(status) < names.size()
             ? names[static_cast<std::size_t>(status)]
             : "unknown";
}

const char* bitune_last_error(void) { return bitune::capi::last_error; }

bitune_status bitune_set_log(bitune_log_function log, void* user) {
  return guarded([&] {
    bitune::LogFunction function;
    if (log != nullptr) function = [log, user](const std::string& sentence) { log(sentence.c_str(), user); };
    bitune::set_log(std::move(function));
  });
}

void bitune_free(void* text) { std::free(text); }

}  // extern "C"
