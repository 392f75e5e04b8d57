#pragma once

/// \file
/// Ranks of several processes.

#include <string>

#include "multi/communicator.hpp"
#include "multi/remote/nccl_link.hpp"

namespace bitune::multi {

/// The communicator of this process's rank. Kept between calls.
///
/// Whatever the ranks do together begins with a block of each: whether it goes on, and if not, why. A rank
/// that fails leaves such a block, too, where the others come next. So all hear of it at once, and the next
/// call may go on. Only a rank that does not come, and a link that fails, end the communicator itself.
class RemoteRanks final : public Communicator {
 public:
  explicit RemoteRanks(NcclLink link) : link_(std::move(link)) {}

  /// What ended the call before is forgotten.
  void begin_call() noexcept { ended_ = false; }

  [[nodiscard]] int rank() const noexcept override { return link_.rank(); }
  [[nodiscard]] int size() const noexcept override { return link_.size(); }
  void all_gather(const void* mine, void* all, std::size_t bytes) override;
  void all_to_all(std::span<const ArrayExchange> arrays, Stream stream) override;
  [[nodiscard]] bool exchanges_beside() const noexcept override { return true; }
  void begin_exchanges(std::span<const ExchangeBeside> exchanges) override;
  void end_exchanges() override;
  void abort(ErrorCode code, const std::string& why) noexcept override;

 private:
  struct Block;

  [[nodiscard]] std::vector<Block> exchange_blocks(const Block& mine);
  template <class Work>
  void together(const Work& work);

  NcclLink link_;
  bool ended_ = false;  ///< the ranks do nothing together any more, in this call
};

}  // namespace bitune::multi
