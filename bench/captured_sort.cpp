#include "bench/captured_sort.hpp"

#include <array>
#include <map>
#include <memory>
#include <utility>

namespace bitune {
namespace {

/// The graphs of one contestant, by the memory that they sort.
class GraphOfEachBuffer {
 public:
  GraphOfEachBuffer(const Device& device, Contestant contestant)
      : device_(device), contestant_(std::move(contestant)), capturing_(device.create_stream()) {}

  const DeviceGraph& graph(const Operands& operands) {
    std::unique_ptr<DeviceGraph>& found = graphs_[addresses_of(operands)];
    if (!found) {
      // In a stream of its own: samples may be queued in the one that is timed.
      const Stream stream = capturing_->handle();
      found =
          device_.capture(stream, [sort = contestant_.sort, operands, stream] { sort(operands, stream); });
    }
    return *found;
  }

 private:
  using Addresses = std::array<void*, role_count>;

  static Addresses addresses_of(const Operands& operands) {
    Addresses addresses{};
    for (std::size_t i = 0; i < role_count; ++i) addresses[i] = operands[static_cast<Role>(i)].data;
    // What is sorted in place may be said in two ways.
    addresses[static_cast<std::size_t>(Role::keys_in)] = operands.input().data;
    addresses[static_cast<std::size_t>(Role::values_in)] = operands.input_values().data;
    return addresses;
  }

  const Device& device_;
  const Contestant contestant_;
  std::unique_ptr<DeviceStream> capturing_;
  std::map<Addresses, std::unique_ptr<DeviceGraph>> graphs_;
};

}  // namespace

Contestant as_graph(const Device& device, const Contestant& contestant) {
  const auto graphs = std::make_shared<GraphOfEachBuffer>(device, contestant);
  // As many launches as before: how many sorts make a sample is to be the same for both.
  return {contestant.name, contestant.in_place,
          [graphs](const Operands& operands, Stream stream) { graphs->graph(operands).launch(stream); },
          contestant.launches,
          [graphs](const Operands& operands) { static_cast<void>(graphs->graph(operands)); }};
}

}  // namespace bitune
