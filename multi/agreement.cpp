#include "multi/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "bitune/multi.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "runtime/check_operands.hpp"

namespace bitune::multi {
namespace {

/// Changes with what ranks tell each other: they may be of different builds.
constexpr std::uint64_t version = 4;
constexpr std::size_t spec_fields = 7;
constexpr std::uint64_t most_keys = std::uint64_t{1} << 56;

/// What a rank was asked to do.
struct Announcement {
  std::uint64_t version = 0;
  std::array<std::uint64_t, spec_fields> spec = {};
  std::uint64_t n = 0;
  std::uint64_t result = 0;
  std::uint64_t may_be_read = 0;
  std::uint64_t sent_from_bytes = 0;
};

std::array<std::uint64_t, spec_fields> words_of(const SortSpec& spec) {
  std::array<std::uint64_t, spec_fields> words = {};
  std::size_t count = 0;
  SortSpec::visit_fields([&](const char*, auto member, FieldAge) {
    words.at(count++) = static_cast<std::uint64_t>(spec.*member);
  });
  return words;
}

[[noreturn]] void refuse(const std::string& sentence) { throw AgreedError(ErrorCode::usage, sentence); }

void check_spec(const SortSpec& spec, std::uint64_t total) {
  const Problem whole{spec, {.n = total}};
  try {
    check_problem(whole);
  } catch (const Error& error) {
    throw AgreedError(error.code(), error.what());
  }
  if (spec.index_bytes != 0 && spec.index_bytes != 8) {
    refuse(fmt::format("indices over several devices have 8 bytes, not {}", spec.index_bytes));
  }
}

void set_results_of_top_k(Terms& terms) {
  for (std::size_t rank = 0; rank < terms.results.size(); ++rank) {
    std::uint64_t& result = terms.results[rank];
    if (result == equal_part) result = terms.spec.k;
    if (result != 0 && result != terms.spec.k) {
      refuse(fmt::format("rank {} asks for {} keys of a top_k of {}: each gets all of them or none", rank,
                         result, terms.spec.k));
    }
  }
}

/// Those that ask for equal parts share what the others leave.
void set_results(Terms& terms) {
  const std::uint64_t total = terms.total();
  std::uint64_t asked = 0;
  std::uint64_t sharing = 0;
  for (const std::uint64_t result : terms.results) {
    if (result == equal_part) {
      ++sharing;
    } else {
      asked = std::min(result, most_keys) + asked;
    }
  }
  if (asked > total || (sharing == 0 && asked != total)) {
    refuse(fmt::format("the ranks give {} keys and ask for {}: the parts of the result make all of it", total,
                       asked));
  }
  std::uint64_t part = 0;
  for (std::uint64_t& result : terms.results) {
    if (result == equal_part) result = equal_part_of(total - asked, sharing, part++);
  }
}

/// How preparing went on a rank.
struct Outcome {
  std::uint32_t failed = 0;
  ErrorCode code = ErrorCode::usage;
  std::uint64_t told = 0;
  std::array<char, 496> why = {};  ///< ends with 0
};

Outcome outcome_of(ErrorCode code, const std::string& why) noexcept {
  Outcome outcome;
  outcome.failed = 1;
  outcome.code = code;
  std::memcpy(outcome.why.data(), why.data(), std::min(why.size(), outcome.why.size() - 1));
  return outcome;
}

}  // namespace

std::uint64_t equal_part_of(std::uint64_t n, std::uint64_t parts, std::uint64_t part) noexcept {
  return n / parts + (part < n % parts ? 1 : 0);
}

Terms agree(Communicator& communicator, const SortSpec& spec, std::uint64_t n, std::uint64_t result,
            bool may_be_read, std::uint64_t sent_from_bytes) {
  Terms terms{spec, {}, {}, communicator.reads_directly(), 0};
  const Announcement mine{version, words_of(spec), n, result, may_be_read ? 1U : 0U, sent_from_bytes};
  const auto all = all_gather(communicator, mine);
  // By rank 0, so that all say the same.
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].version != all[0].version) {
      refuse(fmt::format("rank {} runs another version of bitune than rank 0: install the same everywhere",
                         rank));
    }
    if (all[rank].spec != all[0].spec) {
      refuse(fmt::format("rank {} was asked to do something else than rank 0: this rank was asked for '{}'",
                         rank, text_of(Problem{spec, {.n = n}})));
    }
    if (all[rank].n > most_keys) {
      refuse(fmt::format("rank {} gives {} keys, which no memory holds", rank, all[rank].n));
    }
    terms.lengths.push_back(all[rank].n);
    terms.results.push_back(all[rank].result);
    terms.reads_directly = terms.reads_directly && all[rank].may_be_read != 0;
    terms.sent_from_bytes = std::max(terms.sent_from_bytes, all[rank].sent_from_bytes);
  }
  check_spec(spec, terms.total());
  if (selects(spec.operation)) {
    set_results_of_top_k(terms);
  } else {
    set_results(terms);
  }
  return terms;
}

std::vector<std::uint64_t> prepare_together(Communicator& communicator,
                                            const std::function<std::uint64_t()>& prepare) {
  Outcome mine;
  try {
    mine.told = prepare();
  } catch (const Error& error) {
    mine = outcome_of(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    mine = outcome_of(ErrorCode::out_of_resources, "the host has no memory left");
  } catch (const std::exception& error) {
    mine = outcome_of(ErrorCode::device, error.what());
  }
  const auto all = all_gather(communicator, mine);
  std::vector<std::uint64_t> told;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    told.push_back(all[rank].told);
    if (all[rank].failed == 0) continue;
    throw AgreedError(all[rank].code, fmt::format("rank {} of {} cannot take part: {}", rank, all.size(),
                                                  all[rank].why.data()));
  }
  return told;
}

}  // namespace bitune::multi
