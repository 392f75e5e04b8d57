#pragma once

/// \file
/// Versions of kernels that have another digest today, and still are the same machine code. Private to the
/// cache room.

#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace bitune::database {

/// What was measured with kernels of the digest `from` counts as measured with those of the digest `to`.
struct KernelDigestMove {
  std::string_view from;
  std::string_view to;
};

/// All moves there were, the oldest first: one may begin where another one ended. Each is proven by
/// scripts/move_kernel_digests.py, which prints it: what it prints is appended.
[[nodiscard]] std::span<const KernelDigestMove> kernel_digest_moves();

/// Whether a digest of the database is one that was moved. Precondition: the tables are those of today's
/// schema.
[[nodiscard]] bool has_moved_kernels(SQLite::Database& db);

/// Gives the kernels in the database the digests that they have today. Where those of both digests were
/// measured, they are one from then on: trials keep their numbers. Does nothing the second time.
/// Precondition: the tables are those of today's schema, and a transaction is open.
void move_kernel_digests(SQLite::Database& db,
                         std::span<const KernelDigestMove> moves = kernel_digest_moves());

}  // namespace bitune::database
