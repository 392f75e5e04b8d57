#include "runtime/cuda/graph.hpp"

#include <utility>

namespace bitune::cuda {
namespace {

class CudaGraph final : public DeviceGraph {
 public:
  /// The captured graph itself is not needed once it is instantiated.
  CudaGraph(std::shared_ptr<Context> context, CUgraph captured) : context_(std::move(context)) {
    context_->check(context_->driver().cuGraphInstantiate(&executable_, captured, 0),
                    "cuGraphInstantiateWithFlags");
  }
  ~CudaGraph() override {
    release_quietly(*context_, [this] { context_->driver().cuGraphExecDestroy(executable_); });
  }

  /// The first launch would do this otherwise, and take longer than those that follow.
  void upload(CUstream stream) const {
    context_->check(context_->driver().cuGraphUpload(executable_, stream), "cuGraphUpload");
    context_->check(context_->driver().cuStreamSynchronize(stream), "cuStreamSynchronize");
  }

  void launch(Stream stream) const override {
    const ContextScope scope(*context_);
    context_->check(context_->driver().cuGraphLaunch(executable_, static_cast<CUstream>(stream)),
                    "cuGraphLaunch");
  }

 private:
  std::shared_ptr<Context> context_;
  CUgraphExec executable_ = nullptr;
};

/// The graph of a capture, which ends with this object: a stream whose capture does not end is of no more
/// use.
class Capture {
 public:
  Capture(Context& context, CUstream stream) : context_(context), stream_(stream) {
    // What other threads do meanwhile (allocating, for one) neither fails nor spoils the capture.
    context_.check(context_.driver().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                   "cuStreamBeginCapture");
  }
  ~Capture() {
    if (!ended_) context_.driver().cuStreamEndCapture(stream_, &graph_);
    if (graph_ != nullptr) context_.driver().cuGraphDestroy(graph_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  [[nodiscard]] CUgraph end() {
    ended_ = true;
    context_.check(context_.driver().cuStreamEndCapture(stream_, &graph_), "cuStreamEndCapture");
    return graph_;
  }

 private:
  Context& context_;
  CUstream stream_;
  CUgraph graph_ = nullptr;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<DeviceGraph> capture(std::shared_ptr<Context> context, CUstream stream,
                                     const std::function<void()>& enqueue) {
  const ContextScope scope(*context);
  Capture under_way(*context, stream);
  enqueue();
  auto graph = std::make_unique<CudaGraph>(context, under_way.end());
  graph->upload(stream);
  return graph;
}

}  // namespace bitune::cuda
