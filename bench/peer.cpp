#include "bench/peer.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <system_error>
#include <utility>

#include "bitune/error.hpp"

namespace bitune {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  if (const char* named = std::getenv("BITUNE_PEERS"); named != nullptr && *named != '\0') {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) result.emplace_back(folder);
    }
    return result;
  }
  std::error_code error;
  if (const fs::path executable = fs::read_symlink("/proc/self/exe", error); !error) {
    result.push_back(executable.parent_path());
  }
  return result;
}

}  // namespace

Peer::Peer(fs::path path, std::shared_ptr<void> module, const BitunePeer* peer)
    : path_(std::move(path)), module_(std::move(module)), peer_(peer) {}

std::optional<Peer> Peer::open(std::string_view name, std::string& note) {
  const std::string file = fmt::format("bitune_peer_{}.so", name);
  std::string tried;
  for (const fs::path& folder : folders()) {
    const fs::path path = folder / file;
    std::error_code error;
    if (!fs::exists(path, error)) {
      tried += fmt::format("{}'{}'", tried.empty() ? "" : ", ", folder.string());
      continue;
    }
    const std::shared_ptr<void> module(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
      if (handle != nullptr) dlclose(handle);
    });
    if (!module) {
      note = fmt::format("the peer module '{}' cannot be opened: {}", path.string(), dlerror());
      return std::nullopt;
    }
    const auto entry = reinterpret_cast<BitunePeerEntry>(dlsym(module.get(), BITUNE_PEER_ENTRY));
    const BitunePeer* peer = entry == nullptr ? nullptr : entry();
    if (peer == nullptr || peer->abi != BITUNE_PEER_ABI) {
      note = fmt::format("'{}' is no peer module of this bitune: build it again", path.string());
      return std::nullopt;
    }
    return Peer(path, module, peer);
  }
  note = fmt::format(
      "there is no peer '{}': {} was not found in {} (cub's is built where nvcc is installed; $BITUNE_PEERS "
      "names other folders)",
      name, file, tried.empty() ? "any folder" : tried);
  return std::nullopt;
}

std::optional<Peer> Peer::open_for(const Device& device, std::string_view name, std::string& note) {
  if (name == "none") return std::nullopt;
  const std::string& kind = device.info().kind;
  if (name.empty() && kind != "cuda") {
    note = fmt::format("the {} has no peers to compare with, but for --against host", device.describe());
    return std::nullopt;
  }
  std::optional<Peer> peer = open(name.empty() ? "cub" : name, note);
  if (!peer) return std::nullopt;
  if (peer->peer_->device_kind != nullptr && peer->peer_->device_kind != kind) {
    note = fmt::format("the peer '{}' does not sort on the {}: name another one with --against, or none",
                       peer->name(), device.describe());
    return std::nullopt;
  }
  peer->select_device(device);
  return peer;
}

void Peer::check(int code, const char* what) const {
  if (code == 0) return;
  throw Error(ErrorCode::device,
              fmt::format("the peer '{}' failed to {}: {}", peer_->name, what, peer_->error_text(code)));
}

void Peer::select_device(const Device& device) const {
  check(peer_->select_device(device.software().uuid.c_str()), "select the device");
}

std::vector<const BitunePeerMethod*> Peer::methods() const {
  std::vector<const BitunePeerMethod*> result;
  result.reserve(static_cast<std::size_t>(peer_->method_count));
  for (int i = 0; i < peer_->method_count; ++i) result.push_back(&peer_->methods[i]);
  return result;
}

std::optional<std::uint64_t> Peer::workspace_bytes(const BitunePeerMethod& method,
                                                   const Problem& problem) const {
  std::uint64_t bytes = 0;
  const int code = method.workspace_bytes(&problem, &bytes);
  if (code == BITUNE_PEER_NOT_BUILT_IN) return std::nullopt;
  check(code, "tell its workspace");
  return bytes;
}

void Peer::sort(const BitunePeerMethod& method, const Problem& problem, const Operands& operands,
                Stream stream) const {
  check(method.sort(&problem, &operands, stream), method.name);
}

}  // namespace bitune
