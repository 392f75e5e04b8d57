#pragma once

/// \file
/// A rank at which something fails.

#include <span>
#include <string>

#include "multi/communicator.hpp"

namespace bitune::test {

/// Fails when it has gathered so many times, or where an exchange begins, of those that wait or of those
/// beside other work.
class FailingRank final : public multi::Communicator {
 public:
  static constexpr int at_exchange = -1;
  static constexpr int at_exchange_beside = -2;

  FailingRank(multi::Communicator& inner, int gathers) : inner_(inner), left_(gathers) {}
  [[nodiscard]] int rank() const noexcept override { return inner_.rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_.size(); }
  [[nodiscard]] bool reads_directly() const noexcept override { return inner_.reads_directly(); }
  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    if (left_ >= 0 && left_-- == 0) fail();
    inner_.all_gather(mine, all, bytes);
  }
  void all_to_all(std::span<const multi::ArrayExchange> arrays, Stream stream) override {
    if (left_ == at_exchange) fail();
    inner_.all_to_all(arrays, stream);
  }
  [[nodiscard]] bool exchanges_beside() const noexcept override { return inner_.exchanges_beside(); }
  void begin_exchanges(std::span<const multi::ExchangeBeside> exchanges) override {
    if (left_ == at_exchange_beside) fail();
    inner_.begin_exchanges(exchanges);
  }
  void end_exchanges() override { inner_.end_exchanges(); }
  void abort(ErrorCode code, const std::string& why) noexcept override { inner_.abort(code, why); }

 private:
  [[noreturn]] static void fail() { throw Error(ErrorCode::device, "the link is down"); }

  multi::Communicator& inner_;
  int left_;
};

}  // namespace bitune::test
