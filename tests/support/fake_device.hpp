#pragma once

/// \file
/// A device and a variant for tests of what stands above them: "kernels" are run by the host at once.

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bitune/error.hpp"
#include "measure/reference_sort.hpp"
#include "model/key_type.hpp"
#include "runtime/device.hpp"
#include "runtime/variant.hpp"

namespace bitune::fake {

/// What a fake kernel's name says: the key type and order that it sorts in.
inline std::string kernel_name(const Problem& problem) {
  return std::string(name_of(problem.key)) + " " + std::string(name_of(problem.order));
}

class Compiler : public bitune::Compiler {
 public:
  std::string identity() const override { return "fake"; }
  void open() const override {
    if (missing) throw Error(ErrorCode::unavailable, "there is no fake compiler");
  }
  std::string archive_key(const KernelSource& source) const override {
    return "key of " + source.header + " " + source.name_expression;
  }
  std::string digest(const KernelSource& source) const override {
    if (missing) open();
    return "digest of " + source.name_expression;
  }
  using bitune::Compiler::compile;
  KernelImage compile(const KernelSource& source, const std::stop_token& /*stop*/) const override {
    ++compiles;
    on_compile();
    on_source(source);
    if (missing) open();
    if (fail) throw Error(ErrorCode::compile, "kernel '" + source.name_expression + "' does not compile");
    return {
        .target = "fake", .lowered_name = source.name_expression, .bytes = source.name_expression, .log = {}};
  }

  mutable std::atomic<int> compiles{0};
  std::function<void()> on_compile = [] {};  ///< called on the thread that compiles
  std::function<void(const KernelSource&)> on_source = [](const KernelSource&) {};  ///< likewise
  std::atomic<bool> fail{false};
  std::atomic<bool> missing{false};
};

class Kernel : public LoadedKernel {
 public:
  explicit Kernel(std::string name_) : name(std::move(name_)) {}
  const KernelResources& resources() const noexcept override { return resources_; }
  const std::string name;

 private:
  KernelResources resources_;
};

template <class Interface>
class Memory : public Interface {
 public:
  explicit Memory(std::size_t size) : bytes_(size) {}
  auto data() const noexcept -> decltype(std::declval<const Interface&>().data()) override {
    return bytes_.data();
  }
  std::size_t size() const noexcept override { return bytes_.size(); }

 private:
  mutable std::vector<std::byte> bytes_;
};

class Event : public DeviceEvent {
 public:
  std::chrono::steady_clock::time_point time;
};

class FakeStream : public DeviceStream {
 public:
  Stream handle() const noexcept override { return const_cast<FakeStream*>(this); }
};

class Graph : public DeviceGraph {
 public:
  explicit Graph(std::function<void()> work) : work_(std::move(work)) {}
  void launch(Stream) const override { work_(); }

 private:
  std::function<void()> work_;
};

/// Executes a launch at once: it sorts argument 1 keys at argument 0, and so on for argument 2 rows, argument
/// 3 keys apart, that come from argument 4. A launch with fewer arguments does nothing.
class Device : public bitune::Device {
 public:
  Device() {
    info_.name = "Fake GPU";
    info_.compute_major = 9;
    info_.sm_count = 100;
    info_.memory_bytes = std::int64_t{64} << 20;
  }

  const DeviceInfo& info() const noexcept override { return info_; }
  const DeviceSoftware& software() const noexcept override { return software_; }
  const bitune::Compiler& compiler() const noexcept override { return fake_compiler; }
  std::shared_ptr<LoadedKernel> load(const KernelImage& image) const override {
    if (!has_memory_for_code)
      throw Error(ErrorCode::out_of_resources, "the fake device has no memory for code");
    return std::make_shared<Kernel>(image.bytes);
  }

  void launch(const LoadedKernel& kernel, const Launch&, std::span<const std::uint64_t> arguments,
              Stream) const override {
    ++launches;
    if (arguments.size() < 5) return;
    if (fail_launches) throw Error(ErrorCode::device, "the launch failed on the fake device");
    const std::string& name = dynamic_cast<const Kernel&>(kernel).name;
    const auto blank = name.find(' ');
    const KeyType key = parse_key_type(name.substr(0, blank));
    auto* keys = reinterpret_cast<std::byte*>(arguments[0]);
    const auto* input = reinterpret_cast<const std::byte*>(arguments[4]);
    for (std::uint64_t row = 0; row < arguments[2]; ++row) {
      const std::uint64_t at = row * arguments[3] * size_of(key);
      if (input != keys) std::memcpy(keys + at, input + at, arguments[1] * size_of(key));
      reference_sort(keys + at, arguments[1], key, parse_order(name.substr(blank + 1)));
    }
  }

  std::string missing_resource(const LoadedKernel&, const Launch& launch) const override {
    return refuses && refuses(launch) ? "more than the fake device has" : "";
  }

  std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) const override {
    return std::make_unique<Memory<DeviceBuffer>>(bytes);
  }
  std::unique_ptr<DeviceBuffer> allocate_async(std::size_t bytes, Stream) const override {
    if (bytes > most_bytes) throw Error(ErrorCode::out_of_resources, "the fake device has no such memory");
    ++allocations;
    return std::make_unique<Memory<DeviceBuffer>>(bytes);
  }
  std::unique_ptr<HostBuffer> allocate_host(std::size_t bytes) const override {
    ++host_allocations;
    return std::make_unique<Memory<HostBuffer>>(bytes);
  }
  void copy_to_device(void* to, const void* from, std::size_t bytes, Stream) const override {
    std::memcpy(to, from, bytes);
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, Stream) const override {
    std::memcpy(to, from, bytes);
  }
  void copy_on_device(void* to, const void* from, std::size_t bytes, Stream) const override {
    std::memcpy(to, from, bytes);
  }
  void copy_rows_on_device(void* to, std::uint64_t to_stride, const void* from, std::uint64_t from_stride,
                           std::size_t row_bytes, std::uint64_t rows, Stream) const override {
    ++row_copies;
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<std::byte*>(to) + row * to_stride,
                  static_cast<const std::byte*>(from) + row * from_stride, row_bytes);
    }
  }
  void fill(void* to, std::uint8_t value, std::size_t bytes, Stream) const override {
    std::memset(to, value, bytes);
  }

  std::unique_ptr<DeviceStream> create_stream() const override {
    ++streams;
    return std::make_unique<FakeStream>();
  }
  std::unique_ptr<DeviceEvent> create_event() const override { return std::make_unique<Event>(); }
  void record(DeviceEvent& event, Stream) const override { dynamic_cast<Event&>(event).time = now(); }
  bool has_passed(const DeviceEvent&) const override { return false; }
  double elapsed_ms(const DeviceEvent& begin, const DeviceEvent& end) const override {
    return std::chrono::duration<double, std::milli>(dynamic_cast<const Event&>(end).time -
                                                     dynamic_cast<const Event&>(begin).time)
        .count();
  }
  void synchronize(Stream) const override {}
  bool is_capturing(Stream) const override { return capturing; }
  /// The graph does the work at each launch; what it refers to must live as long.
  std::unique_ptr<DeviceGraph> capture(Stream, const std::function<void()>& enqueue) const override {
    ++captures;
    return std::make_unique<Graph>(enqueue);
  }
  std::string describe() const override { return "fake device"; }

  /// Makes each event a microsecond later than the one before, instead of when it is recorded.
  void let_events_pass_time() {
    now = [time = std::chrono::steady_clock::time_point()]() mutable {
      return time += std::chrono::microseconds(1);
    };
  }

  Compiler fake_compiler;
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<bool(const Launch&)> refuses;  ///< launches that the device has no room for
  bool has_memory_for_code = true;
  std::size_t most_bytes = ~std::size_t{0};  ///< that an allocation in a stream may have
  std::atomic<bool> capturing{false};
  std::atomic<bool> fail_launches{false};
  mutable std::atomic<int> launches{0};
  mutable std::atomic<int> captures{0};
  mutable std::atomic<int> allocations{0};
  mutable std::atomic<int> host_allocations{0};
  mutable std::atomic<int> streams{0};
  mutable std::atomic<int> row_copies{0};

 private:
  DeviceInfo info_;
  DeviceSoftware software_;
};

/// A variant with one parameter, "tile" (1, 2, 4, ... 64), that excludes tiles longer than the problem and
/// than the device has SMs.
class Variant : public bitune::Variant {
 public:
  explicit Variant(std::string name, std::uint64_t workspace_bytes = 0, bool launches_sort = true,
                   bool out_of_place = false)
      : name_(std::move(name)),
        workspace_bytes_(workspace_bytes),
        launches_sort_(launches_sort),
        out_of_place_(out_of_place) {}

  std::string_view name() const noexcept override { return name_; }
  std::string_view description() const noexcept override { return "a variant for tests"; }
  std::vector<std::string_view> kernel_headers() const override { return {}; }
  bool supports(const Problem& problem, const DeviceInfo&) const override {
    return problem.operation == Operation::sort;
  }
  SearchSpace space(const Problem&, const DeviceInfo&) const override {
    SearchSpace space;
    space.variant = name_;
    space.parameters = {{"tile", {1, 2, 4, 8, 16, 32, 64}, "keys a block"}};
    space.restrictions = {{"the tile is not longer than the problem",
                           [](const Configuration& configuration, const Problem& problem, const DeviceInfo&) {
                             return static_cast<std::uint64_t>(configuration.at("tile")) <= problem.n;
                           }},
                          {"the tile is not longer than the device has SMs",
                           [](const Configuration& configuration, const Problem&, const DeviceInfo& device) {
                             return configuration.at("tile") <= device.sm_count;
                           }}};
    return space;
  }
  Configuration default_configuration(const Problem&, const DeviceInfo&) const override {
    return {name_, {{"tile", 1}}};
  }
  Plan plan(const Problem& problem, const Configuration&, const DeviceInfo&) const override {
    Plan plan;
    plan.kernels = {{header, kernel_name(problem)}};
    Launch launch;
    launch.cluster = cluster;
    if (launches_sort_) {
      launch.arguments = {Argument::pointer_to(Role::keys_out), Argument::number64(problem.n),
                          Argument::number64(problem.rows), Argument::stride_of(Role::keys_out),
                          Argument::pointer_to(out_of_place_ ? Role::keys_in : Role::keys_out)};
    }
    plan.launches = {launch};
    plan.workspace_bytes = workspace_bytes_;
    plan.out_of_place = out_of_place_;
    return plan;
  }

  std::optional<Configuration> quick_configuration(const Problem& problem,
                                                   const DeviceInfo& device) const override {
    if (!quick) return std::nullopt;
    return default_configuration(problem, device);
  }

  std::uint32_t cluster = 1;        ///< of its launches
  std::string header = "fake.cuh";  ///< of its kernels
  bool quick = false;               ///< whether it has a quick configuration

 private:
  std::string name_;
  std::uint64_t workspace_bytes_;
  bool launches_sort_;
  bool out_of_place_;
};

}  // namespace bitune::fake
