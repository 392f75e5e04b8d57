#pragma once

/// \file
/// A rank at which something fails.

#include <span>
#include <string>

#include "multi/communicator.hpp"

namespace bitune::test {

/// Fails when it has gathered so many times, or where the exchange begins.
class FailingRank final : public multi::Communicator {
 public:
  static constexpr int at_exchange = -1;

  FailingRank(multi::Communicator& inner, int gathers) : inner_(inner), left_(gathers) {}
  [[nodiscard]] int rank() const noexcept override { return inner_.rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_.size(); }
  [[nodiscard]] bool reads_directly() const noexcept override { return inner_.reads_directly(); }
  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    if (left_ != at_exchange && left_-- == 0) fail();
    inner_.all_gather(mine, all, bytes);
  }
  void all_to_all(std::span<const multi::ArrayExchange> arrays, Stream stream) override {
    if (left_ == at_exchange) fail();
    inner_.all_to_all(arrays, stream);
  }
  void abort(ErrorCode code, const std::string& why) noexcept override { inner_.abort(code, why); }

 private:
  [[noreturn]] static void fail() { throw Error(ErrorCode::device, "the link is down"); }

  multi::Communicator& inner_;
  int left_;
};

}  // namespace bitune::test
