// Every call of the driver that takes memory fails once, and all from it on: whoever sorts is told so, or
// gets the right result; nothing is lost; and as soon as there is memory again, the same Sorter sorts.

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <tuple>

#include "bitune/error.hpp"
#include "cache/kernel_cache.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/variant.hpp"
#include "tests/gpu/checked_call.hpp"
#include "tests/gpu/failing_driver.hpp"
#include "tuner/local_evaluator.hpp"

namespace bitune::test {
namespace {

constexpr long for_ever = std::numeric_limits<long>::max();

/// The k-th call alone, or all from it on.
struct Failure {
  long first = 0;
  bool once = true;

  void arm() const { FailingDriver::fail(first, once ? first : for_ever); }
  [[nodiscard]] std::string text() const {
    return "call " + std::to_string(first) + (once ? " fails" : " and all after it fail");
  }
};

/// Keeps the GPU's primary context, so that it is not made anew for each attempt.
class KeptContext {
 public:
  KeptContext() { cuda::driver().cuDevicePrimaryCtxRetain(&context_, 0); }
  ~KeptContext() { cuda::driver().cuDevicePrimaryCtxRelease(0); }
  KeptContext(const KeptContext&) = delete;
  KeptContext& operator=(const KeptContext&) = delete;

 private:
  CUcontext context_ = nullptr;
};

/// Whether an error is one of memory that is not there.
testing::AssertionResult tells_of_memory(const Error& error) {
  const std::string text = error.what();
  const bool kind = error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::device;
  return kind && text.find("OUT_OF_MEMORY") != std::string::npos ? testing::AssertionSuccess()
                                                                 : testing::AssertionFailure() << text;
}

class OutOfMemory : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::Driver* found = cuda::driver_if_present();
    if (found == nullptr || found->device_count == 0) GTEST_SKIP() << "this machine has no GPU";
  }

  /// Sorts from the making of a Sorter to its end, while the driver fails.
  void sort_with(const CheckedCall& call, const Failure& failure) {
    SCOPED_TRACE(text_of(call.problem()) + ", " + failure.text());
    failure.arm();
    std::unique_ptr<Sorter> sorter;
    try {
      sorter = std::make_unique<Sorter>(own_options());
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(call.on_host(*sorter).value_or(""), "");
        ++sorted_;
      }
    } catch (const Error& error) {
      ++refused_;
      EXPECT_TRUE(tells_of_memory(error));
    }
    failed_ += FailingDriver::failed();
    calls_ = FailingDriver::calls();
    FailingDriver::fail_none();
    if (sorter != nullptr) {
      try {
        EXPECT_EQ(call.on_host(*sorter).value_or(""), "") << "with memory again";
      } catch (const Error& error) {
        ADD_FAILURE() << "with memory again: " << error.what();
      }
    }
    sorter.reset();
    EXPECT_EQ(FailingDriver::held(), "");
  }

  long calls_ = 0;  ///< of the driver for memory, from `arm` on
  long failed_ = 0;
  int refused_ = 0;
  int sorted_ = 0;
};

/// A problem, and whether calls fail alone: a test each, as one takes up to a minute.
class GpuOutOfMemory : public OutOfMemory, public testing::WithParamInterface<std::tuple<Problem, bool>> {};

TEST_P(GpuOutOfMemory, IsToldAndLosesNothing) {
  const auto& [problem, once] = GetParam();
  const CheckedCall call(problem);
  const KeptContext context;
  {
    Sorter sorter(own_options());  // compiles
    ASSERT_EQ(call.on_host(sorter).value_or(""), "");
  }
  const FailingDriver driver(true);
  sort_with(call, {0, true});
  const long calls = calls_;
  ASSERT_GT(calls, 0);
  ASSERT_EQ(failed_, 0);
  for (long k = 1; k <= calls; ++k) sort_with(call, {k, once});
  RecordProperty("allocations_failed", static_cast<int>(failed_));
  RecordProperty("calls_refused", refused_);
  RecordProperty("calls_sorted", sorted_);
}

INSTANTIATE_TEST_SUITE_P(Problems, GpuOutOfMemory,
                         testing::Combine(testing::ValuesIn(problems_of_each_operation()), testing::Bool()));

/// A trial whose memory is not there fails, and the next one does not.
class GpuOutOfMemoryOfTuner : public OutOfMemory {};

TEST_F(GpuOutOfMemoryOfTuner, CostsATrial) {
  const Problem problem{{.key = KeyType::u32}, {.n = 1 << 16}};
  const auto device = open_device("0");
  const Variant& family = variant("radix");
  EvaluationRequest request;
  request.problem = problem;
  request.configuration = family.default_configuration(problem, device->info());
  request.protocol.min_samples = request.protocol.max_samples = 3;
  const auto cache = std::make_shared<KernelCache>(KernelCache::default_directory());
  ASSERT_EQ(
      make_local_evaluator(device, std::make_shared<KernelStore>(device, cache))->evaluate(request).status,
      TrialStatus::ok);

  const FailingDriver driver(false);
  const auto evaluate_with = [&](const Failure& failure) {
    SCOPED_TRACE(failure.text());
    failure.arm();
    std::unique_ptr<Evaluator> evaluator;
    try {
      evaluator = make_local_evaluator(device, std::make_shared<KernelStore>(device, cache));
      const Trial trial = evaluator->evaluate(request);
      if (trial.status == TrialStatus::ok) {
        ++sorted_;
      } else {
        ++refused_;
        EXPECT_TRUE(trial.samples_us.empty());
        EXPECT_TRUE(tells_of_memory(Error(ErrorCode::out_of_resources, trial.message)))
            << name_of(trial.status);
      }
    } catch (const Error& error) {  // there is no evaluator at all
      ++refused_;
      EXPECT_TRUE(tells_of_memory(error));
    }
    failed_ += FailingDriver::failed();
    calls_ = FailingDriver::calls();
    FailingDriver::fail_none();
    if (evaluator != nullptr) {
      const Trial trial = evaluator->evaluate(request);
      EXPECT_EQ(trial.status, TrialStatus::ok) << "with memory again: " << trial.message;
    }
    evaluator.reset();
  };
  evaluate_with({0, true});
  const long calls = calls_;
  ASSERT_GT(calls, 0);
  for (long k = 1; k <= calls; ++k) {
    for (const bool once : {true, false}) evaluate_with({k, once});
  }
  RecordProperty("allocations_failed", static_cast<int>(failed_));
  RecordProperty("calls_refused", refused_);
  RecordProperty("calls_sorted", sorted_);
}

}  // namespace
}  // namespace bitune::test
