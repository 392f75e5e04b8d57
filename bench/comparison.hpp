#pragma once

/// \file
/// One comparison after the other, on one device with one peer.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/interleaved_sampler.hpp"
#include "bench/peer.hpp"
#include "bitune/bitune.hpp"
#include "model/configuration.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/sort_engine.hpp"

namespace bitune {

/// What all comparisons of a suite share. Thread-confined.
class Comparison {
 public:
  /// Opens device, sorter and peer. `request` must outlive it. \throws Error (unavailable)
  explicit Comparison(const BenchRequest& request);

  [[nodiscard]] const Device& device() const { return *device_; }
  [[nodiscard]] std::string peer_path() const { return peer_ ? peer_->path().string() : ""; }
  /// Why there is no peer, and what was left out or was wrong.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

  /// Verifies and times all sides. Nothing if the device's memory does not hold the problem, or no kernel
  /// sorts it; the note then says so. \throws Error (device, compile)
  /// `lengths`: of segments, as make_lengths takes it.
  std::optional<BenchRecord> compare(const Problem& problem, Distribution distribution,
                                     const std::string& lengths = {});

 private:
  void add_note(const std::string& sentence);
  [[nodiscard]] std::vector<Contestant> own_contestants(const Problem& problem);
  /// The same as graphs, those that verify; what does not is told in the note.
  [[nodiscard]] std::vector<Contestant> graph_contestants(const std::vector<Contestant>& own,
                                                          InterleavedSampler& sampler, BenchRecord& record);
  [[nodiscard]] std::vector<Contestant> peer_contestants(const Problem& problem);
  [[nodiscard]] BenchRecord describe(const Problem& problem);

  const BenchRequest& request_;
  std::shared_ptr<Device> device_;
  KernelStore kernels_;                 ///< of what times, not of what is timed
  std::optional<Configuration> given_;  ///< instead of what is selected
  std::unique_ptr<SortEngine> sorter_;
  std::optional<Peer> peer_;
  std::shared_ptr<DeviceBuffer> workspace_;      ///< the peer's, of the comparison under way
  std::shared_ptr<DeviceBuffer> own_workspace_;  ///< bitune's; null if it needs none
  std::string note_;
};

}  // namespace bitune
