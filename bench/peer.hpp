#pragma once

/// \file
/// Peers: other sorts in modules that are opened at run time.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peer_abi.hpp"
#include "bitune/types.hpp"
#include "runtime/device.hpp"

namespace bitune {

/// An opened peer. Stays open while a copy of the object lives. Thread-confined.
class Peer {
 public:
  /// Opens `bitune_peer_<name>.so` from the folders in $BITUNE_PEERS (separated by colons), else from the
  /// executable's folder. Nothing if there is none: `note` then says where it was looked for, or what is
  /// wrong with the module.
  [[nodiscard]] static std::optional<Peer> open(std::string_view name, std::string& note);

  /// Opens what a bench on this device is to be compared with, and makes the device current in it. `name`:
  /// "cub", "host" (on the emulated device), "bitune" (another one), "none", or empty for the usual one,
  /// which is cub on a GPU. Nothing where there is no such peer for the device: `note` then says why. \throws
  /// Error (device)
  [[nodiscard]] static std::optional<Peer> open_for(const Device& device, std::string_view name,
                                                    std::string& note);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string name() const { return peer_->name; }
  [[nodiscard]] std::string version() const { return peer_->version; }

  /// Makes the device current in the peer. \throws Error (device)
  void select_device(const Device& device) const;

  [[nodiscard]] std::vector<const BitunePeerMethod*> methods() const;

  /// Bytes that the method needs besides the operands; nothing if the problem is not built in. \throws Error
  /// (device)
  [[nodiscard]] std::optional<std::uint64_t> workspace_bytes(const BitunePeerMethod& method,
                                                             const Problem& problem) const;

  /// Enqueues one sort. \throws Error (device)
  void sort(const BitunePeerMethod& method, const Problem& problem, const Operands& operands,
            Stream stream) const;

 private:
  Peer(std::filesystem::path path, std::shared_ptr<void> module, const BitunePeer* peer);

  void check(int code, const char* what) const;

  std::filesystem::path path_;
  std::shared_ptr<void> module_;
  const BitunePeer* peer_;
};

}  // namespace bitune
