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

  const DeviceGraph& graph(void* keys, void* out) {
    std::unique_ptr<DeviceGraph>& found = graphs_[{keys, contestant_.in_place ? nullptr : out}];
    if (!found) {
      // In a stream of its own: samples may be queued in the one that is timed.
      const StreamHandle stream = capturing_->handle();
      found =
          device_.capture(stream, [sort = contestant_.sort, keys, out, stream] { sort(keys, out, stream); });
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
          [graphs](void* keys, void* out, StreamHandle stream) { graphs->graph(keys, out).launch(stream); },
          contestant.launches,
          [graphs](void* keys, void* out) { static_cast<void>(graphs->graph(keys, out)); }};
}

}  // namespace bitune
