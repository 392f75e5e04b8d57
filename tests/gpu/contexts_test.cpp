// What an application may do to the contexts that bitune works in: make and destroy its own, reset the GPU,
// fork, end with a Sorter that still lives. Each in a process of its own, which must end by itself.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "runtime/cuda/library.hpp"
#include "tests/gpu/checked_call.hpp"

namespace bitune::test {
namespace {

using cuda::driver;
using cuda::Library;

constexpr int rounds = 5;
constexpr unsigned seconds_a_process = 120;

/// Entry points that only these tests need, typed as cuda.h declares them.
template <class Function>
Function* entry(const char* name) {
  auto* function = reinterpret_cast<Function*>(driver().library.symbol(name));
  if (function == nullptr) throw Error(ErrorCode::device, std::string("the driver has no ") + name);
  return function;
}

void check(CUresult result, const char* function) { ContextMemory::check(result, function); }

/// A context of the application, current on this thread for its lifetime. What CUDA 11 made with this
/// function every later driver makes, too.
class OwnContext {
 public:
  explicit OwnContext(CUdevice device = 0) {
    check(entry<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(&context_, 0, device),
          "cuCtxCreate");
  }
  ~OwnContext() { entry<decltype(cuCtxDestroy)>("cuCtxDestroy_v2")(context_); }
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;

 private:
  CUcontext context_ = nullptr;
};

/// The primary context as the CUDA runtime has it: retained once, and current on this thread.
void use_primary_context() {
  CUcontext primary = nullptr;
  check(driver().cuDevicePrimaryCtxRetain(&primary, 0), "cuDevicePrimaryCtxRetain");
  check(entry<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent")(primary), "cuCtxSetCurrent");
}

std::string calls_on_device(Sorter& sorter, const std::vector<CheckedGpuCall>& calls) {
  for (const CheckedGpuCall& call : calls) {
    if (const auto fault = call.on_device(sorter, nullptr)) return *fault;
  }
  return {};
}

std::string calls_on_host(Sorter& sorter, const std::vector<CheckedGpuCall>& calls) {
  for (const CheckedGpuCall& call : calls) {
    if (const auto fault = call.on_host(sorter)) return *fault;
  }
  return {};
}

std::vector<CheckedGpuCall> all_calls() {
  std::vector<CheckedGpuCall> calls;
  for (const Problem& problem : problems_of_each_operation()) calls.emplace_back(problem);
  return calls;
}

/// A right result, or an error that says something: nothing to complain of. How it was is told.
std::string right_or_told(const char* what, const std::function<std::string()>& call) {
  try {
    const std::string fault = call();
    std::fprintf(stderr, "%s: %s\n", what, fault.empty() ? "right" : fault.c_str());
    return fault;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", what, error.what());
    return *error.what() == '\0' ? "an error that says nothing" : "";
  }
}

/// Ends this process: with 0 if the scenario finds no fault, and what there is of static objects is
/// destroyed.
[[noreturn]] void end_after(const std::function<std::string()>& scenario) {
  ::alarm(seconds_a_process);  // what hangs is killed
  std::string fault;
  try {
    fault = scenario();
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (!fault.empty()) std::fprintf(stderr, "fault: %s\n", fault.c_str());
  std::exit(fault.empty() ? 0 : 1);
}

class GpuContexts : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
    testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process that has not used CUDA yet
  }
};

#define EXPECT_NO_FAULT(scenario) EXPECT_EXIT(end_after(scenario), testing::ExitedWithCode(0), "")

/// The Sorter is first used in a context that is destroyed before it is used again.
std::string own_contexts_come_and_go() {
  const auto calls = all_calls();
  Sorter sorter(own_options());
  for (int round = 0; round < rounds; ++round) {
    const OwnContext context;
    std::string fault = calls_on_device(sorter, calls);
    if (fault.empty()) fault = calls_on_host(sorter, calls);
    if (!fault.empty()) return fault;
  }
  return calls_on_host(sorter, calls);  // and in none of the application's
}

TEST_F(GpuContexts, OfTheApplicationComeAndGo) { EXPECT_NO_FAULT(own_contexts_come_and_go); }

std::string sorters_come_and_go() {
  const auto calls = all_calls();
  for (int round = 0; round < rounds; ++round) {  // the last one takes the primary context with it
    Sorter sorter(own_options());
    const std::string fault = calls_on_host(sorter, calls);
    if (!fault.empty()) return fault;
  }
  return {};
}

TEST_F(GpuContexts, OfSortersComeAndGo) { EXPECT_NO_FAULT(sorters_come_and_go); }

/// Resets the GPU while a Sorter lives. What it does afterwards is right or an error; a new one sorts.
std::string resets(const std::function<void()>& begin, const std::function<void()>& reset) {
  const auto calls = all_calls();
  begin();
  auto sorter = std::make_unique<Sorter>(own_options());
  for (int round = 0; round < rounds; ++round) {
    std::string fault = calls_on_device(*sorter, calls);
    if (fault.empty()) fault = calls_on_host(*sorter, calls);
    if (!fault.empty()) return fault;
    reset();
    const std::vector<std::pair<const char*, std::function<std::string()>>> uses = {
        {"after the reset, host", [&] { return calls_on_host(*sorter, calls); }},
        {"after the reset, device", [&] { return begin(), calls_on_device(*sorter, calls); }},
        {"and again", [&] { return calls_on_host(*sorter, calls); }}};
    for (const auto& [what, use] : uses) {
      fault = right_or_told(what, use);
      if (!fault.empty()) return what + (": " + fault);
    }
    // The old one ends before the new one is made, or after it.
    if (round % 2 == 0) sorter.reset();
    auto next = std::make_unique<Sorter>(own_options());
    fault = calls_on_device(*next, calls);
    if (!fault.empty()) return "a new Sorter after a reset: " + fault;
    sorter = std::move(next);
  }
  return {};
}

TEST_F(GpuContexts, AreResetByTheDriver) {
  EXPECT_NO_FAULT([] {
    return resets(use_primary_context, [] {
      check(entry<decltype(cuDevicePrimaryCtxReset)>("cuDevicePrimaryCtxReset_v2")(0),
            "cuDevicePrimaryCtxReset");
    });
  });
}

/// The CUDA runtime, as far as an application needs it here.
struct Runtime {
  Library library;
  int (*free)(void*) = nullptr;
  int (*reset)() = nullptr;

  static std::optional<Runtime> find() {
    for (const char* name :
         {"libcudart.so.13", "libcudart.so.12", "libcudart.so", "/usr/local/cuda/lib64/libcudart.so"}) {
      Runtime runtime{Library::open(name)};
      if (!runtime.library.is_open()) continue;
      runtime.free = reinterpret_cast<int (*)(void*)>(runtime.library.symbol("cudaFree"));
      runtime.reset = reinterpret_cast<int (*)()>(runtime.library.symbol("cudaDeviceReset"));
      if (runtime.free != nullptr && runtime.reset != nullptr) return runtime;
    }
    return std::nullopt;
  }
  static void check(int result, const char* function) {
    if (result != 0)
      throw Error(ErrorCode::device, std::string(function) + ": error " + std::to_string(result));
  }
};

TEST_F(GpuContexts, AreResetByTheCudaRuntime) {
  if (!Runtime::find()) GTEST_SKIP() << "there is no libcudart here";
  EXPECT_NO_FAULT([] {
    const auto runtime = Runtime::find();
    return resets([&] { Runtime::check(runtime->free(nullptr), "cudaFree"); },
                  [&] { Runtime::check(runtime->reset(), "cudaDeviceReset"); });
  });
}

/// Runs a scenario in a forked process; what is wrong with how it ended.
std::string in_a_fork(const std::function<std::string()>& scenario) {
  const pid_t child = ::fork();
  if (child < 0) return "fork failed";
  if (child == 0) end_after(scenario);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return "the forked process is gone";
  if (WIFSIGNALED(status))
    return "the forked process was ended by signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "the forked process found a fault";
}

/// Whether there is a GPU, as another process sees it: this one has not used CUDA then.
bool another_process_finds_a_gpu() {
  const pid_t child = ::fork();
  if (child == 0) {
    const cuda::Driver* found = cuda::driver_if_present();
    std::_Exit(found != nullptr && found->device_count > 0 ? 0 : 1);
  }
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string forks_before_the_first_use() {
  const auto calls = all_calls();
  const auto sort = [&] {
    Sorter sorter(own_options());
    return calls_on_host(sorter, calls);
  };
  const std::string fault = in_a_fork(sort);
  return fault.empty() ? sort() : fault;
}

TEST(GpuContextsOfForks, AreTheirOwnBeforeTheFirstUse) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  if (!another_process_finds_a_gpu()) GTEST_SKIP() << "this machine has no GPU";
  EXPECT_NO_FAULT(forks_before_the_first_use);
}

/// CUDA does not go on in a forked process. Whoever tries is told so, and can end.
std::string forks_after_use() {
  const auto calls = all_calls();
  Sorter sorter(own_options());
  std::string fault = calls_on_host(sorter, calls);
  if (!fault.empty()) return fault;
  fault = in_a_fork([&] {
    std::string wrong =
        right_or_told("the old Sorter in a forked process", [&] { return calls_on_host(sorter, calls); });
    if (!wrong.empty()) return wrong;
    return right_or_told("a new Sorter in a forked process", [&] {
      Sorter another(own_options());
      return calls_on_host(another, calls);
    });
  });
  return fault.empty() ? calls_on_host(sorter, calls) : fault;
}

TEST_F(GpuContexts, EndAtAFork) { EXPECT_NO_FAULT(forks_after_use); }

std::string ends_with_a_static_sorter() {
  static Sorter sorter(own_options());
  return calls_on_host(sorter, all_calls());
}

TEST_F(GpuContexts, EndAfterAStaticSorter) { EXPECT_NO_FAULT(ends_with_a_static_sorter); }

std::string ends_in_a_thread() {
  std::string fault;
  std::thread([&fault] {
    thread_local Sorter sorter(own_options());
    fault = calls_on_host(sorter, all_calls());
  }).join();
  return fault;
}

TEST_F(GpuContexts, EndWithTheirThread) { EXPECT_NO_FAULT(ends_in_a_thread); }

/// A Sorter for each GPU, all at once, while another GPU's context is current.
std::string sorts_on_all_gpus() {
  const auto calls = all_calls();
  const int gpus = driver().device_count;
  std::vector<std::string> faults(static_cast<std::size_t>(gpus));
  std::vector<std::thread> threads;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    threads.emplace_back([&, gpu] {
      std::string& fault = faults[static_cast<std::size_t>(gpu)];
      try {
        Sorter sorter(own_options(std::to_string(gpu)));
        fault = calls_on_host(sorter, calls);
        const OwnContext other((gpu + 1) % gpus);
        if (fault.empty()) fault = calls_on_host(sorter, calls);
        const OwnContext same(gpu);
        if (fault.empty()) fault = calls_on_device(sorter, calls);
      } catch (const Error& error) {
        fault = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return {};
}

TEST_F(GpuContexts, OfSeveralGpusAreApart) {
  if (driver().device_count < 2) GTEST_SKIP() << "this machine has one GPU";
  EXPECT_NO_FAULT(sorts_on_all_gpus);
}

}  // namespace
}  // namespace bitune::test
