#include "multi/remote/nccl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <vector>

#include "bitune/error.hpp"

namespace bitune::multi {
namespace {

Nccl open_nccl() {
  const std::string usual = "libnccl.so.2";
  const char* named = std::getenv("BITUNE_NCCL");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  std::string problem;
  Nccl nccl;
  nccl.library = cuda::Library::loaded(usual);  // no other knows the communicators that it made
  if (!nccl.library.is_open()) {
    nccl.library = cuda::Library::open(named != nullptr && *named != '\0' ? named : usual, &problem);
  }
  if (!nccl.library.is_open()) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format("there is no NCCL for the communicator: {}. Put libnccl.so.2 on the library path, "
                    "or name it in BITUNE_NCCL",
                    problem));
  }
  std::vector<std::string> missing;
  const auto find = [&](const char* symbol, auto& function) {
    cuda::resolve(nccl.library, symbol, function, missing);
  };
  find("ncclCommCount", nccl.count);
  find("ncclCommUserRank", nccl.user_rank);
  find("ncclCommCuDevice", nccl.device);
  find("ncclAllGather", nccl.all_gather);
  find("ncclSend", nccl.send);
  find("ncclRecv", nccl.receive);
  find("ncclGroupStart", nccl.group_start);
  find("ncclGroupEnd", nccl.group_end);
  find("ncclCommGetAsyncError", nccl.state);
  find("ncclCommAbort", nccl.abort);
  find("ncclGetErrorString", nccl.error_text);
  if (!missing.empty()) {
    throw Error(ErrorCode::unavailable, fmt::format("{} lacks {}: NCCL 2.7 or newer is needed",
                                                    nccl.library.path(), fmt::join(missing, ", ")));
  }
  return nccl;
}

}  // namespace

const Nccl& Nccl::get() {
  // Never closed: its threads may run until the process ends.
  static const Nccl& found = *new Nccl(open_nccl());
  return found;
}

void Nccl::check(Result result, const char* what) const {
  if (result == success || result == in_progress) return;
  throw Error(ErrorCode::device,
              fmt::format("{} of {} failed: {}", what, library.path(), error_text(result)));
}

}  // namespace bitune::multi
