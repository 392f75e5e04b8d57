#include "runtime/kernel_store.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "runtime/kernel_limits.hpp"

namespace bitune {

struct KernelStore::Implementation {
  /// One kernel. Its mutex is held while it is fetched, compiled or loaded, so that others wait for the
  /// result.
  struct Entry {
    std::mutex mutex;
    std::optional<KernelImage> image;
    KernelOrigin image_origin = KernelOrigin::compiled;
    std::shared_ptr<LoadedKernel> kernel;
  };

  /// How an image was got this time.
  struct Fetch {
    KernelOrigin origin = KernelOrigin::memory;
    double compile_ms = 0;
  };

  std::shared_ptr<Device> device;
  std::shared_ptr<KernelCache> cache;
  std::shared_ptr<const KernelArchive> shipped;
  std::mutex mutex;  // guards `entries`, whose values never move and are never removed
  std::map<KernelSource, Entry> entries;

  Entry& entry(const KernelSource& source) {
    const std::lock_guard lock(mutex);
    return entries[source];
  }

  // The two below are called with the entry's mutex held.

  Fetch compile(Entry& entry, const KernelSource& source) {
    const auto begin = std::chrono::steady_clock::now();
    entry.image = device->compiler().compile(source);
    entry.image_origin = KernelOrigin::compiled;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    // The digest is asked for now: what compiled may be another build than was remembered before.
    if (cache != nullptr) cache->store(device->compiler().digest(source), *entry.image);
    return {KernelOrigin::compiled, took.count()};
  }

  Fetch fetch(Entry& entry, const KernelSource& source) {
    if (entry.image) return {};
    if (cache != nullptr) entry.image = cache->find(device->compiler().digest(source));
    entry.image_origin = KernelOrigin::cache;
    if (!entry.image && find_shipped(entry, source)) entry.image_origin = KernelOrigin::shipped;
    if (!entry.image) return compile(entry, source);
    return {entry.image_origin, 0};
  }

  bool find_shipped(Entry& entry, const KernelSource& source) const {
    if (shipped == nullptr) return false;
    const std::string key = device->compiler().archive_key(source);
    if (!key.empty()) entry.image = shipped->find(key);
    return entry.image.has_value();
  }
};

KernelStore::KernelStore(std::shared_ptr<Device> device, std::shared_ptr<KernelCache> cache,
                         std::shared_ptr<const KernelArchive> shipped)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->device = std::move(device);
  implementation_->cache = std::move(cache);
  implementation_->shipped = std::move(shipped);
}

KernelStore::~KernelStore() = default;

StoredKernel KernelStore::get(const KernelSource& source) {
  Implementation& store = *implementation_;
  Implementation::Entry& entry = store.entry(source);
  const std::lock_guard lock(entry.mutex);
  if (entry.kernel != nullptr) return {entry.kernel, KernelOrigin::memory, 0};

  Implementation::Fetch how = store.fetch(entry, source);
  try {
    entry.kernel = store.device->load(*entry.image);
  } catch (const Error&) {
    // A file may be whole and still be nothing that this driver loads: it may be older than the compiler of
    // what is shipped. What was compiled just now has no such excuse.
    if (entry.image_origin == KernelOrigin::compiled || store.device->is_lost()) throw;
    how = store.compile(entry, source);
    entry.kernel = store.device->load(*entry.image);
  }
  return {entry.kernel, how.origin, how.compile_ms};
}

KernelImage KernelStore::image(const KernelSource& source, KernelOrigin* origin) {
  Implementation::Entry& entry = implementation_->entry(source);
  const std::lock_guard lock(entry.mutex);
  const Implementation::Fetch how = implementation_->fetch(entry, source);
  if (origin != nullptr) *origin = how.origin;
  return *entry.image;
}

namespace {

/// Checks what every run of the plan relies on.
void check_launch(const Device& device, const Plan& plan,
                  const std::vector<std::shared_ptr<LoadedKernel>>& kernels, const Launch& launch) {
  if (launch.kernel >= kernels.size() || launch.arguments.size() > max_kernel_arguments) {
    throw Error(ErrorCode::device,
                fmt::format("a plan of {} kernels has a launch of kernel {} with {} arguments: this is a "
                            "defect of the variant that made it",
                            kernels.size(), launch.kernel, launch.arguments.size()));
  }
  const KernelResources& resources = kernels[launch.kernel]->resources();
  const std::string_view name = plan.kernels[launch.kernel].short_name();
  if (const std::string excess = excess_of(launch, resources, device.info()); !excess.empty()) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("kernel '{}' needs {} on {}", name, excess, device.describe()));
  }
  if (const std::string missing_resource = device.missing_resource(*kernels[launch.kernel], launch);
      !missing_resource.empty()) {
    throw Error(ErrorCode::out_of_resources, fmt::format("kernel '{}' needs {}", name, missing_resource));
  }
}

}  // namespace

ExecutablePlan::ExecutablePlan(const Device& device, Plan plan,
                               std::vector<std::shared_ptr<LoadedKernel>> kernels)
    : device_(&device), plan_(std::move(plan)), kernels_(std::move(kernels)) {
  if (kernels_.size() != plan_.kernels.size()) {
    throw Error(ErrorCode::device,
                fmt::format("a plan of {} kernels was bound to {}", plan_.kernels.size(), kernels_.size()));
  }
  for (const Launch& launch : plan_.launches) check_launch(device, plan_, kernels_, launch);
}

void ExecutablePlan::run(const Operands& operands, Stream stream) const {
  std::array<std::uint64_t, max_kernel_arguments> slots;
  const auto operand_of = [&operands](Role role) -> const Operand& {
    return role == Role::keys_in     ? operands.input()
           : role == Role::values_in ? operands.input_values()
                                     : operands[role];
  };
  for (const Launch& launch : plan_.launches) {
    std::size_t count = 0;
    for (const Argument& argument : launch.arguments) {
      switch (argument.kind) {
        case Argument::Kind::pointer:
          slots[count++] = reinterpret_cast<std::uint64_t>(operand_of(argument.role).data) + argument.value;
          break;
        case Argument::Kind::stride:
          slots[count++] = operand_of(argument.role).stride;
          break;
        case Argument::Kind::u32:
        case Argument::Kind::u64:
          slots[count++] = argument.value;
          break;
      }
    }
    device_->launch(*kernels_[launch.kernel], launch, std::span<const std::uint64_t>(slots.data(), count),
                    stream);
  }
}

ExecutablePlan make_executable(const Device& device, KernelStore& store, Plan plan, int* compiled) {
  std::vector<std::shared_ptr<LoadedKernel>> kernels;
  kernels.reserve(plan.kernels.size());
  int count = 0;
  for (const KernelSource& source : plan.kernels) {
    StoredKernel stored = store.get(source);
    if (stored.origin == KernelOrigin::compiled) ++count;
    kernels.push_back(std::move(stored.kernel));
  }
  if (compiled != nullptr) *compiled = count;
  return ExecutablePlan(device, std::move(plan), std::move(kernels));
}

}  // namespace bitune
