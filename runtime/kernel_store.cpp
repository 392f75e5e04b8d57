#include "runtime/kernel_store.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "bitune/error.hpp"
#include "model/problem.hpp"
#include "runtime/kernel_limits.hpp"
#include "runtime/staged_operands.hpp"

namespace bitune {

struct KernelStore::Implementation {
  /// One kernel. Its mutex is held while it is fetched, compiled or loaded, so that others wait for the
  /// result.
  struct Entry {
    std::mutex mutex;
    std::optional<KernelImage> image;
    KernelOrigin origin = KernelOrigin::compiled;  ///< of the image
    std::shared_ptr<LoadedKernel> kernel;
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

  // Those below are called with the entry's mutex held.

  void keep(Entry& entry, const KernelSource& source, KernelImage image) {
    entry.image = std::move(image);
    entry.origin = KernelOrigin::compiled;
    // The digest is asked for now: what compiled may be another build than was remembered before.
    if (cache != nullptr) cache->store(device->compiler().digest(source), *entry.image);
  }

  /// Nothing if there is none, or no compiler that the cache could be asked of.
  std::optional<KernelImage> find(KernelOrigin where, const KernelSource& source) const {
    try {
      if (where == KernelOrigin::cache) {
        return cache == nullptr ? std::nullopt : cache->find(device->compiler().digest(source));
      }
      if (shipped == nullptr) return std::nullopt;
      const std::string key = device->compiler().archive_key(source);
      return key.empty() ? std::nullopt : shipped->find(key);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// What is shipped goes first: it needs no look for a compiler, whose build the cache's digests name.
  static constexpr std::array<KernelOrigin, 2> ready = {KernelOrigin::shipped, KernelOrigin::cache};

  /// Whether the kernel could be loaded without compiling it. A file may be whole and still be nothing that
  /// this driver loads: it may be older than the compiler of what is shipped.
  bool load_ready(Entry& entry, const KernelSource& source) {
    if (entry.image && load(entry, *entry.image, entry.origin)) return true;
    for (const KernelOrigin where : ready) {
      auto image = find(where, source);
      if (!image || !load(entry, *image, where)) continue;
      entry.image = std::move(image);
      entry.origin = where;
      return true;
    }
    return false;
  }

  bool load(Entry& entry, const KernelImage& image, KernelOrigin origin) {
    try {
      entry.kernel = device->load(image);
      return true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::out_of_resources) throw NoMemoryForCode(error.what());
      // What was compiled just now has no excuse.
      if (origin == KernelOrigin::compiled || device->is_lost()) throw;
      return false;
    }
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
  if (entry.kernel != nullptr) return {entry.kernel, KernelOrigin::memory, entry.origin, 0};
  const bool was_there = entry.image.has_value();
  if (store.load_ready(entry, source)) {
    return {entry.kernel, was_there ? KernelOrigin::memory : entry.origin, entry.origin, 0};
  }
  const auto begin = std::chrono::steady_clock::now();
  store.keep(entry, source, store.device->compiler().compile(source));
  const double compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  store.load(entry, *entry.image, entry.origin);
  return {entry.kernel, entry.origin, entry.origin, compile_ms};
}

std::optional<StoredKernel> KernelStore::find(const KernelSource& source) {
  Implementation& store = *implementation_;
  Implementation::Entry& entry = store.entry(source);
  const std::unique_lock lock(entry.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return std::nullopt;
  if (entry.kernel != nullptr) return StoredKernel{entry.kernel, KernelOrigin::memory, entry.origin, 0};
  if (!store.load_ready(entry, source)) return std::nullopt;
  return StoredKernel{entry.kernel, entry.origin, entry.origin, 0};
}

KernelImage KernelStore::image(const KernelSource& source, KernelOrigin* origin,
                               const std::stop_token& stop) {
  const std::vector<KernelOrigin> origins = make_images({&source, 1}, stop);
  if (origin != nullptr) *origin = origins.front();
  Implementation::Entry& entry = implementation_->entry(source);
  const std::lock_guard lock(entry.mutex);
  return *entry.image;
}

std::vector<KernelOrigin> KernelStore::make_images(std::span<const KernelSource> sources,
                                                   const std::stop_token& stop) {
  Implementation& store = *implementation_;
  struct Wanted {
    Implementation::Entry* entry = nullptr;
    std::unique_lock<std::mutex> lock;
    KernelOrigin origin = KernelOrigin::memory;
  };
  // In the order of the sources, which is the same for all threads, so that none waits for one that waits for
  // it.
  std::map<KernelSource, Wanted> wanted;
  for (const KernelSource& source : sources) wanted[source].entry = &store.entry(source);
  std::vector<KernelSource> missing;
  for (auto& [source, one] : wanted) {
    one.lock = std::unique_lock(one.entry->mutex);
    for (const KernelOrigin where : Implementation::ready) {
      if (one.entry->image) break;
      one.entry->image = store.find(where, source);
      one.entry->origin = one.origin = where;
    }
    if (one.entry->image) continue;
    one.origin = KernelOrigin::compiled;
    missing.push_back(source);
  }
  if (!missing.empty()) {
    std::vector<KernelImage> images = store.device->compiler().compile_all(missing, stop);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      store.keep(*wanted[missing[i]].entry, missing[i], std::move(images[i]));
    }
  }
  std::vector<KernelOrigin> origins;
  for (const KernelSource& source : sources) origins.push_back(wanted[source].origin);
  return origins;
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

namespace {

/// The launch with as many blocks as the segments of the call take. Without its arguments, which are resolved
/// apart: so nothing is allocated.
Launch launch_for(const Shape& shape, const Launch& planned) {
  Launch launch{.kernel = planned.kernel,
                .grid = planned.grid,
                .block = planned.block,
                .shared_bytes = planned.shared_bytes,
                .segments_per_block = planned.segments_per_block,
                .cluster = planned.cluster,
                .dependent = planned.dependent,
                .reads_keys_early = planned.reads_keys_early,
                .beside_previous = planned.beside_previous,
                .allows_next_early = planned.allows_next_early,
                .arguments = {}};
  const std::uint64_t of_block = planned.segments_per_block;
  launch.grid[0] = static_cast<std::uint32_t>((shape.rows + of_block - 1) / of_block);
  return launch;
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
  if (plan_.first_from_input) check_launch(device, plan_, kernels_, *plan_.first_from_input);
}

void ExecutablePlan::run(const Operands& operands, Stream stream) const {
  launch_all(nullptr, operands, stream);
}

void ExecutablePlan::run(const Shape& shape, const Operands& operands, Stream stream) const {
  launch_all(&shape, operands, stream);
}

void ExecutablePlan::launch_all(const Shape* shape, const Operands& given, Stream stream) const {
  std::array<std::uint64_t, max_kernel_arguments> slots;
  const StagedOperands staged(*device_, plan_, given, stream);
  const Operands& operands = staged.operands();
  bool from_input = plan_.first_from_input && !given.in_place();
  for (const Launch& in_place : plan_.launches) {
    const Launch& launch = std::exchange(from_input, false) ? *plan_.first_from_input : in_place;
    std::size_t count = 0;
    for (const Argument& argument : launch.arguments) {
      switch (argument.kind) {
        case Argument::Kind::pointer:
          slots[count++] = reinterpret_cast<std::uint64_t>(operands[argument.role].data) + argument.value;
          break;
        case Argument::Kind::stride:
          slots[count++] = operands[argument.role].stride;
          break;
        case Argument::Kind::keys:
          slots[count++] = shape == nullptr ? argument.value : shape->n;
          break;
        case Argument::Kind::segments:
          slots[count++] = shape == nullptr ? argument.value : shape->rows;
          break;
        case Argument::Kind::equal_length:
          slots[count++] = shape == nullptr ? argument.value : equal_length(*shape);
          break;
        case Argument::Kind::u32:
        case Argument::Kind::u64:
          slots[count++] = argument.value;
          break;
      }
    }
    const std::span<const std::uint64_t> arguments(slots.data(), count);
    if (shape == nullptr || launch.segments_per_block == 0) {
      device_->launch(*kernels_[launch.kernel], launch, arguments, stream);
    } else {
      device_->launch(*kernels_[launch.kernel], launch_for(*shape, launch), arguments, stream);
    }
  }
  staged.write_back();
}

namespace {

ExecutablePlan bound(const Device& device, Plan plan, std::vector<StoredKernel> stored,
                     KernelCounts* counts) {
  std::vector<std::shared_ptr<LoadedKernel>> kernels;
  kernels.reserve(stored.size());
  KernelCounts counted;
  for (StoredKernel& kernel : stored) {
    if (kernel.origin == KernelOrigin::compiled) ++counted.compiled;
    if (kernel.first_origin == KernelOrigin::shipped) ++counted.shipped;
    if (kernel.first_origin == KernelOrigin::cache) ++counted.cached;
    kernels.push_back(std::move(kernel.kernel));
  }
  if (counts != nullptr) *counts = counted;
  return ExecutablePlan(device, std::move(plan), std::move(kernels));
}

}  // namespace

ExecutablePlan make_executable(const Device& device, KernelStore& store, Plan plan, KernelCounts* counts) {
  std::vector<StoredKernel> stored(plan.kernels.size());
  std::vector<std::size_t> places;
  std::vector<KernelSource> missing;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (auto found = store.find(plan.kernels[i])) {
      stored[i] = std::move(*found);
    } else {
      places.push_back(i);
      missing.push_back(plan.kernels[i]);
    }
  }
  const std::vector<KernelOrigin> origins = store.make_images(missing);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    // By this thread, whose context they are for.
    stored[places[i]] = store.get(missing[i]);
    if (origins[i] == KernelOrigin::compiled) stored[places[i]].origin = origins[i];
  }
  return bound(device, std::move(plan), std::move(stored), counts);
}

std::optional<ExecutablePlan> make_executable_if_ready(const Device& device, KernelStore& store,
                                                       const Plan& plan, KernelCounts* counts) {
  std::vector<StoredKernel> stored;
  for (const KernelSource& source : plan.kernels) {
    auto found = store.find(source);
    if (!found) return std::nullopt;
    stored.push_back(std::move(*found));
  }
  return bound(device, plan, std::move(stored), counts);
}

}  // namespace bitune
