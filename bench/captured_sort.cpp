#include "bench/captured_sort.hpp"

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
    std::unique_ptr<DeviceGraph>& found = graphs_[{operands.input().data, operands[Role::keys_out].data}];
    if (!found) {
      // In a stream of its own: samples may be queued in the one that is timed.
      const Stream stream = capturing_->handle();
      found =
          device_.capture(stream, [sort = contestant_.sort, operands, stream] { sort(operands, stream); });
    }
    return *found;
  }

 private:
  const Device& device_;
  const Contestant contestant_;
  std::unique_ptr<DeviceStream> capturing_;
  std::map<std::pair<void*, void*>, std::unique_ptr<DeviceGraph>> graphs_;
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
