#pragma once

/// \file
/// Sorts as CUDA graphs.

#include "measure/sampler.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// A contestant that does the same by launching graphs into which the sorts of `contestant` were captured:
/// what a sort takes as a node of an application's graph. Graphs must not allocate: `contestant` sorts in
/// memory that was given to it. The device, and what the sort refers to, must outlive it; the device must
/// have graphs.
///
/// Addresses are part of a graph, and the sampler restores several buffers at once. So each buffer has a
/// graph of its own. With one graph cuGraphExecUpdate would set another address before each launch. That
/// would cost the host more than the launch, and it is not what an application launches again and again.
[[nodiscard]] Contestant as_graph(const Device& device, const Contestant& contestant);

}  // namespace bitune
