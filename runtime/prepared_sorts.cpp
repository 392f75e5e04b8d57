#include "runtime/prepared_sorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "bitune/error.hpp"

namespace bitune {
namespace {

/// Rungs of the ladder that are asked for what is ready.
constexpr std::size_t most_rungs = 16;

/// Whether another configuration may do with what the device has.
bool another_may_fit(const Error& error) {
  return error.code() == ErrorCode::out_of_resources &&
         dynamic_cast<const NoMemoryForCode*>(&error) == nullptr;
}

/// Each compiles a plan; several of them want other problems at the same time.
unsigned background_threads() { return std::clamp(std::thread::hardware_concurrency() / 2, 1U, 4U); }

}  // namespace

LaterSort result_of(const std::shared_future<LaterSort>& later) {
  try {
    return later.get();
  } catch (const std::future_error&) {
    return {nullptr, "the process ends"};
  }
}

PreparedSorts::PreparedSorts(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
                             CandidateReader reader, std::span<const Variant* const> variants,
                             Preparation how)
    : device_(std::move(device)),
      patience_(how.patience),
      selector_(device_->info(), std::move(reader), variants),
      kernels_(device_, std::move(cache), std::move(how.shipped_kernels)),
      prepared_(how.capacity),
      later_(background_threads()) {}

/// What workspaces come from is made on demand, which may not happen while a stream is being captured.
void PreparedSorts::warm_up(std::uint64_t workspace_bytes, Stream stream) const {
  if (workspace_bytes != 0) static_cast<void>(device_->allocate_async(workspace_bytes, stream));
}

/// What is next on the ladder. Where nothing is, the device has no room for the problem: says for what at
/// last.
Selection PreparedSorts::select_but(const Problem& problem, std::span<const TooLarge> too_large) {
  try {
    return selector_.select(problem, too_large);
  } catch (const Error&) {
    if (too_large.empty()) throw;
    throw Error(ErrorCode::out_of_resources, too_large.back().why);
  }
}

PreparedSort PreparedSorts::make(const Problem& problem, Stream stream) {
  std::uint64_t least_workspace = ~std::uint64_t{0};
  std::vector<TooLarge> too_large;
  for (;;) {
    Selection selection = select_but(problem, too_large);
    Plan plan = selector_.plan(problem, selection.configuration);
    const std::uint64_t workspace_bytes = plan.workspace_bytes;
    if (patience_) least_workspace = std::min(least_workspace, workspace_bytes);
    try {
      warm_up(workspace_bytes, stream);  // first: it is known in no time whether there is room
      KernelCounts counts;
      ExecutablePlan executable = make_executable(*device_, kernels_, std::move(plan), &counts);
      // Only now: where nothing fits there may be memory again when the problem is next asked for.
      for (const TooLarge& entry : too_large) selector_.leave_out(problem, entry);
      return {.selection = std::move(selection),
              .executable = std::move(executable),
              .kernels = counts,
              .least_workspace_bytes = std::min(least_workspace, workspace_bytes),
              .awaited = {},
              .better = {},
              .note = {}};
    } catch (const Error& error) {
      // Tuned on another device, on the whole of one that is shared now, or with more memory: what is next on
      // the ladder.
      if (!another_may_fit(error)) throw;
      too_large.push_back({selection.configuration, error.what()});
    }
  }
}

PreparedSorts::Pointer PreparedSorts::best(const Problem& asked) {
  const Problem problem = prepared_as(asked);
  const auto make_now = [&] { return std::make_shared<const PreparedSort>(make(problem, nullptr)); };
  Pointer prepared = prepared_.get(problem, make_now);
  if (!prepared->is_stand_in()) return prepared;
  prepared = make_now();
  prepared_.put(problem, prepared);
  return prepared;
}

PreparedSorts::Pointer PreparedSorts::soon(const Problem& asked) {
  const Problem problem = prepared_as(asked);
  return prepared_.get(problem, [&]() -> Pointer {
    if (patience_) return make_soon(problem);
    return std::make_shared<const PreparedSort>(make(problem, nullptr));
  });
}

PreparedSorts::Pointer PreparedSorts::make_soon(const Problem& problem) {
  const Selection first = selector_.select(problem);
  const Plan plan = selector_.plan(problem, first.configuration);
  bool is_ready = true;
  try {
    is_ready = make_executable_if_ready(*device_, kernels_, plan).has_value();
  } catch (const Error& error) {
    if (!another_may_fit(error)) throw;
  }
  if (is_ready) return std::make_shared<const PreparedSort>(make(problem, nullptr));

  std::string no_compiler;
  std::shared_future<LaterSort> better;
  try {
    device_->compiler().open();
    bool at_once = false;
    better = make_later(problem, &at_once);
    if (at_once && better.wait_for(*patience_) == std::future_status::ready) {
      if (Pointer made = result_of(better).made) return made;
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    no_compiler = error.what();
  }

  std::shared_ptr<PreparedSort> stand_in = ready_behind(problem, first.configuration);
  if (stand_in == nullptr && better.valid()) stand_in = soon_compiled(problem, first.configuration);
  if (stand_in == nullptr) return std::make_shared<const PreparedSort>(make(problem, nullptr));
  stand_in->least_workspace_bytes = plan.workspace_bytes;
  if (better.valid()) {
    stand_in->awaited = first.configuration.text();
    stand_in->better = std::move(better);
  } else {
    stand_in->note = fmt::format("{} would be better, but cannot be compiled: {}", first.configuration.text(),
                                 no_compiler);
  }
  return stand_in;
}

std::shared_ptr<PreparedSort> PreparedSorts::ready_behind(const Problem& problem,
                                                          const Configuration& first) {
  std::vector<TooLarge> passed = {{first, {}}};
  while (passed.size() <= most_rungs) {
    Selection selection;
    try {
      selection = selector_.select(problem, passed);
    } catch (const Error&) {  // the ladder has no more rungs
      return nullptr;
    }
    passed.push_back({selection.configuration, {}});
    try {
      const Plan plan = selector_.plan(problem, selection.configuration);
      KernelCounts counts;
      auto executable = make_executable_if_ready(*device_, kernels_, plan, &counts);
      if (!executable) continue;
      warm_up(plan.workspace_bytes, nullptr);
      return std::make_shared<PreparedSort>(PreparedSort{
          std::move(selection), std::move(*executable), counts, plan.workspace_bytes, {}, {}, {}});
    } catch (const Error& error) {
      if (!another_may_fit(error)) throw;
    }
  }
  return nullptr;
}

std::shared_ptr<PreparedSort> PreparedSorts::soon_compiled(const Problem& problem,
                                                           const Configuration& first) {
  for (Configuration& configuration : selector_.quick(problem)) {
    if (configuration == first) return nullptr;  // nothing is sooner
    try {
      Plan plan = selector_.plan(problem, configuration);
      const std::uint64_t workspace_bytes = plan.workspace_bytes;
      warm_up(workspace_bytes, nullptr);
      KernelCounts counts;
      ExecutablePlan executable = make_executable(*device_, kernels_, std::move(plan), &counts);
      Selection selection;
      selection.reason = fmt::format("it compiles fast, with variant '{}'", configuration.variant);
      selection.configuration = std::move(configuration);
      return std::make_shared<PreparedSort>(
          PreparedSort{std::move(selection), std::move(executable), counts, workspace_bytes, {}, {}, {}});
    } catch (const Error& error) {
      if (!another_may_fit(error) && error.code() != ErrorCode::compile) throw;
    }
  }
  return nullptr;
}

std::shared_future<LaterSort> PreparedSorts::make_later(const Problem& problem, bool* at_once) {
  auto promise = std::make_shared<std::promise<LaterSort>>();
  auto future = promise->get_future().share();
  *at_once = later_.add(device_->for_other_thread([this, problem, promise = std::move(promise)] {
    LaterSort later;
    try {
      // Not the default stream, which is not to be touched while another thread captures.
      const auto stream = device_->create_stream();
      later.made = std::make_shared<const PreparedSort>(make(problem, stream->handle()));
      prepared_.put(problem, later.made);
    } catch (const std::exception& error) {
      later.failure = error.what();
    }
    promise->set_value(std::move(later));
  }));
  return future;
}

std::uint64_t PreparedSorts::workspace_size(const Problem& asked) {
  const Problem problem = prepared_as(asked);
  if (const Pointer prepared = prepared_.find(problem)) {
    return prepared->is_stand_in() ? prepared->least_workspace_bytes
                                   : prepared->executable.plan().workspace_bytes;
  }
  const Plan plan = selector_.plan(problem, selector_.select(problem).configuration);
  const bool only_device_knows =
      std::any_of(plan.launches.begin(), plan.launches.end(), [&](const Launch& l) {
        return l.cluster > static_cast<std::uint32_t>(device_->info().max_cluster_size);
      });
  // With patience, a call whose plan takes more than was told allocates its own.
  if (only_device_knows && !patience_) return best(problem)->executable.plan().workspace_bytes;
  return plan.workspace_bytes;
}

}  // namespace bitune
