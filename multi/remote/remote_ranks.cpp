#include "multi/remote/remote_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace bitune::multi {

/// Of one size, whatever it is for: so a rank that fails need not know what the others are about to do.
struct RemoteRanks::Block {
  std::uint32_t failed = 0;
  ErrorCode code = ErrorCode::device;
  std::array<char, 504> why = {};          ///< ends with 0
  std::array<std::byte, 3584> begin = {};  ///< of what is gathered; the rest follows
};

std::vector<RemoteRanks::Block> RemoteRanks::exchange_blocks(const Block& mine) {
  std::vector<Block> all(static_cast<std::size_t>(size()));
  link_.all_gather(&mine, all.data(), sizeof(Block));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].failed == 0) continue;
    throw Error(all[rank].code,
                fmt::format("rank {} of {} ended the work of all: {}", rank, size(), all[rank].why.data()));
  }
  return all;
}

/// Does what all ranks do together.
template <class Work>
void RemoteRanks::together(const Work& work) {
  try {
    work();
  } catch (...) {
    ended_ = true;
    throw;
  }
}

void RemoteRanks::all_gather(const void* mine, void* all, std::size_t bytes) {
  together([&] {
    Block block;
    const auto* from = static_cast<const std::byte*>(mine);
    const std::size_t at_once = std::min(bytes, block.begin.size());
    std::copy_n(from, at_once, block.begin.begin());
    const std::vector<Block> blocks = exchange_blocks(block);
    const std::size_t left = bytes - at_once;
    std::vector<std::byte> rest(blocks.size() * left);
    if (left != 0) link_.all_gather(from + at_once, rest.data(), left);
    auto* to = static_cast<std::byte*>(all);
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      to = std::copy_n(blocks[rank].begin.begin(), at_once, to);
      to = std::copy_n(rest.begin() + static_cast<std::ptrdiff_t>(rank * left), left, to);
    }
  });
}

void RemoteRanks::all_to_all(std::span<const ArrayExchange> arrays, Stream stream) {
  together([&] {
    static_cast<void>(exchange_blocks({}));
    link_.exchange(arrays, stream);
  });
}

void RemoteRanks::begin_exchanges(std::span<const ExchangeBeside> exchanges) {
  together([&] {
    static_cast<void>(exchange_blocks({}));
    link_.begin(exchanges);
  });
}

void RemoteRanks::end_exchanges() {
  together([&] { link_.end(); });
}

void RemoteRanks::abort(ErrorCode code, const std::string& why) noexcept {
  if (ended_) return;
  ended_ = true;
  Block block;
  block.failed = 1;
  block.code = code;
  std::memcpy(block.why.data(), why.data(), std::min(why.size(), block.why.size() - 1));
  try {
    static_cast<void>(exchange_blocks(block));
  } catch (const std::exception&) {  // what this rank itself says is the error of its caller
  }
}

}  // namespace bitune::multi
