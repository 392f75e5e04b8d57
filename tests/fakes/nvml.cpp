// NVML's entry points with one GPU, "GPU-fake"; environment variables say what it tells. Built as a library
// of its own, which the tests open as the product opens NVML.

#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_found = 6;
constexpr int not_supported = 3;

int users = 0;

unsigned long long number(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const auto code = static_cast<int>(number("FAKE_NVML_INIT"));
  if (code == success) ++users;
  return code;
}

int nvmlShutdown() { return --users == 0 ? success : 1; }

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  if (std::strcmp(uuid, "GPU-fake") != 0) return not_found;
  *device = &users;
  return success;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  if (device != &users || type != 1 || users == 0) return not_supported;
  *mhz = static_cast<unsigned>(number("FAKE_NVML_MHZ"));
  return success;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  if (device != &users || std::getenv("FAKE_NVML_REASONS") == nullptr) return not_supported;
  *reasons = number("FAKE_NVML_REASONS");
  return success;
}

const char* nvmlErrorString(int result) { return result == not_found ? "Not Found" : "Not Supported"; }

int fake_nvml_users() { return users; }

}  // extern "C"
