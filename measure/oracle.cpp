#include "measure/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <thread>
#include <vector>

#include "measure/in_parts.hpp"
#include "measure/oracle_call.hpp"
#include "measure/oracle_exact.hpp"
#include "measure/oracle_filling.hpp"
#include "measure/oracle_screen.hpp"
#include "model/key_order_of.hpp"
#include "model/key_type.hpp"

namespace bitune {
namespace {

using oracle::Balance;
using oracle::Call;
using oracle::ClaimedIndices;
using oracle::CopyScreen;
using oracle::Fault;
using oracle::fault_of;
using oracle::fault_of_filling;
using oracle::IndexScreen;
using oracle::Row;

constexpr std::uint64_t no_row = std::numeric_limits<std::uint64_t>::max();

/// The keys of all rows, numbered one row behind the other: so work is split evenly whatever the rows are.
class Numbering {
 public:
  explicit Numbering(const RowRanges& rows) : row_length_(rows.row_length) {
    if (!rows.lengths) {
      total_ = rows.rows * rows.row_length;
      return;
    }
    firsts_.reserve(rows.rows + 1);
    for (const std::uint64_t length : *rows.lengths) {
      firsts_.push_back(total_);
      total_ += length;
    }
    firsts_.push_back(total_);
  }

  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t first(std::uint64_t row) const {
    return firsts_.empty() ? row * row_length_ : firsts_[row];
  }
  /// The row of a key. Precondition: number < total().
  [[nodiscard]] std::uint64_t row_of(std::uint64_t number) const {
    if (firsts_.empty()) return number / row_length_;
    return static_cast<std::uint64_t>(std::upper_bound(firsts_.begin(), firsts_.end(), number) -
                                      firsts_.begin()) -
           1;
  }

 private:
  std::uint64_t row_length_;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> firsts_;  ///< empty: rows of one length
};

/// A row that is cut between parts: what each part found in it.
struct CutRow {
  std::uint64_t row = no_row;
  bool is_sure = true;
  Balance balance;
};

/// What one part of the keys came to.
struct PartResult {
  std::uint64_t wrong_row = no_row;  ///< the first one
  std::optional<Fault> fault;
  std::vector<CutRow> cut_rows;
};

class Check {
 public:
  Check(const Problem& problem, const Operands& operands, const OracleOptions& options)
      : call_(problem, operands),
        options_(options),
        numbering_(call_.inputs()),
        threads_(options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency())),
        claimed_(call_.rules().index_bytes != 0 && !call_.rules().stable ? numbering_.total() : 0) {}

  [[nodiscard]] std::optional<std::string> fault() {
    const unsigned parts = parts_of(numbering_.total(), options_.keys_a_thread, threads_);
    std::vector<PartResult> results(parts);
    in_parts(numbering_.total(), parts, [&](unsigned part, std::uint64_t begin, std::uint64_t end) {
      key_orders::with_order(call_.rules().key,
                             [&](auto key_order) { look<decltype(key_order)>(begin, end, results[part]); });
    });
    if (auto wrong = first_fault(results)) return wrong;
    for (std::uint64_t row = 0; row < call_.inputs().rows; ++row) {
      if (const auto fault = fault_of_filling(call_.rules(), call_.row(row)))
        return text_of_fault(row, *fault);
    }
    return std::nullopt;
  }

 private:
  template <class KeyOrder>
  void look(std::uint64_t begin, std::uint64_t end, PartResult& result) {
    if (begin == end) return;
    const CopyScreen<KeyOrder> copies(call_.rules());
    const IndexScreen<KeyOrder> indices(call_.rules(), claimed_);
    for (std::uint64_t row = numbering_.row_of(begin); begin < end; ++row) {
      const std::uint64_t base = numbering_.first(row);
      const std::uint64_t row_end = numbering_.first(row + 1);
      if (row_end == base) continue;
      const std::uint64_t last = std::min(end, row_end);
      const Row memory = call_.row(row);
      Balance balance(options_.seed);
      const bool is_sure = memory.indices_out != nullptr
                               ? indices.look(memory, base, begin - base, last - base, balance)
                               : copies.look(memory, begin - base, last - base, balance);
      if (begin > base || last < row_end) {
        result.cut_rows.push_back({row, is_sure, balance});
      } else if (!is_sure || !balance.is_even()) {
        result.fault = fault_of(call_.rules(), memory, 1);
        if (result.fault) {
          result.wrong_row = row;
          return;
        }
      }
      begin = last;
    }
  }

  [[nodiscard]] std::optional<std::string> first_fault(const std::vector<PartResult>& results) {
    std::map<std::uint64_t, CutRow> cut_rows;
    const PartResult* first = nullptr;
    for (const PartResult& result : results) {
      if (result.fault && (first == nullptr || result.wrong_row < first->wrong_row)) first = &result;
      for (const CutRow& piece : result.cut_rows) {
        const auto [known, is_new] = cut_rows.try_emplace(piece.row, piece);
        if (is_new) continue;
        known->second.is_sure = known->second.is_sure && piece.is_sure;
        known->second.balance += piece.balance;
      }
    }
    for (const auto& [row, cut] : cut_rows) {
      if (first != nullptr && row > first->wrong_row) break;
      if (cut.is_sure && cut.balance.is_even()) continue;
      if (const auto fault = fault_of(call_.rules(), call_.row(row), threads_))
        return text_of_fault(row, *fault);
    }
    if (first == nullptr) return std::nullopt;
    return text_of_fault(first->wrong_row, *first->fault);
  }

  [[nodiscard]] std::string text_of_fault(std::uint64_t row, const Fault& fault) const {
    if (call_.inputs().rows == 1 && !call_.inputs().begins) {
      return fmt::format("place {}: {}", fault.place, fault.what);
    }
    return fmt::format("{} {}, place {}: {}", call_.inputs().begins ? "segment" : "row", row, fault.place,
                       fault.what);
  }

  Call call_;
  const OracleOptions& options_;
  Numbering numbering_;
  unsigned threads_;
  ClaimedIndices claimed_;
};

}  // namespace

std::optional<std::string> find_fault(const Problem& problem, const Operands& on_host,
                                      const OracleOptions& options) {
  return Check(problem, on_host, options).fault();
}

std::optional<std::string> find_fault_of_keys(const Problem& problem, std::span<const std::byte> keys,
                                              std::span<const std::byte> sorted) {
  const auto operand = [&](std::span<const std::byte> bytes) {
    return Operand{const_cast<std::byte*>(bytes.data()), bytes.size() / size_of(problem.key), problem.n};
  };
  Operands operands;
  operands[Role::keys_in] = operand(keys);
  operands[Role::keys_out] = operand(sorted);
  return find_fault(problem, operands);
}

}  // namespace bitune
