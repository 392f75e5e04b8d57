#include "cache/database/kernel_digest_moves.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <string>

namespace bitune::database {
namespace {

constexpr auto all_moves = std::to_array<KernelDigestMove>({
    // From the text of headers to the tokens of what they declare: the kernels of bitune 0.1.
    {"9e6f70098241f3d047b54412126d7a1f", "e79aea7e00ee7fd241075e7214f452ae"},  // classic
    {"66d61b73eb50fd33a7583897fc6e5a01", "84f036c142f5b9ee6c76bfef75291b1e"},  // global
    {"d35cabf7f95ff2dda822539682d7cac0", "79c5b53cf589395f2a7cda389612015d"},  // shared
    {"fccf3933f619f1d0a56aa5945e0f8ce3", "8965ccea1a0719af5ff72e1206f47ebc"},  // warp
    {"814c1070e85fa25f290ba7cf637f2385", "64387c2b489d6cb4251471186ee848d0"},  // multiway
    {"54369fc88d8d5cff6c0785e1999a06b0", "7b0f3e275a492ebec12ecdd4300a009a"},  // samplesort
    {"88ece04f0d83ca5972670a3d03480908", "c42911520fd86c3a3c38b3389b2b15b4"},  // radix
    {"3084dbb8a33680298ba26b8b1d28e5ce", "836025b68624142690969586aceaf24a"},  // cluster
    {"9ac3c0d58acf16c7336729f175f65787", "f4a7b512ae9fc4817297a507eb23b384"},  // packed_clusters
    {"ce6352b3c5e25a7187e86d8ee241501f", "b4b9471f1edcf3c4887f5d6bc32dce4d"},  // rows
    {"704db1745fba947260cb2815e15a6261", "a112a3e0684281edbf70114d3730b92b"},  // packed_rows
    {"1df85ef80ce18e84cabf5605c885672b", "353597ac12e3991ff4c287c39aca7665"},  // counting
});

void execute(SQLite::Database& db, const char* sql, const KernelDigestMove& move) {
  SQLite::Statement statement(db, sql);
  statement.bind(1, std::string(move.from));
  statement.bind(2, std::string(move.to));
  statement.exec();
}

void move_one(SQLite::Database& db, const KernelDigestMove& move) {
  execute(db,
          "UPDATE kernels SET digest = ?2 WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM kernels WHERE "
          "digest = ?2)",
          move);
  // Whatever is left of the old digest has a row of the new one beside it. A series of both becomes one.
  execute(db, R"sql(
UPDATE trials SET series_id = twin.id
FROM series old JOIN kernels f ON f.id = old.kernel_id AND f.digest = ?1
JOIN series twin ON twin.device_id = old.device_id AND twin.problem_id = old.problem_id
  AND twin.protocol_id = old.protocol_id AND twin.variant = old.variant AND twin.imported = old.imported
JOIN kernels t ON t.id = twin.kernel_id AND t.digest = ?2
WHERE trials.series_id = old.id
)sql",
          move);
  execute(db, R"sql(
DELETE FROM series AS old WHERE kernel_id = (SELECT id FROM kernels WHERE digest = ?1) AND EXISTS (
  SELECT 1 FROM series twin WHERE twin.device_id = old.device_id AND twin.problem_id = old.problem_id
    AND twin.protocol_id = old.protocol_id AND twin.variant = old.variant AND twin.imported = old.imported
    AND twin.kernel_id = (SELECT id FROM kernels WHERE digest = ?2))
)sql",
          move);
  execute(db, R"sql(
UPDATE series SET kernel_id = (SELECT id FROM kernels WHERE digest = ?2)
WHERE kernel_id = (SELECT id FROM kernels WHERE digest = ?1)
)sql",
          move);
  execute(db, "DELETE FROM kernels WHERE digest = ?1 AND digest <> ?2", move);
}

}  // namespace

std::span<const KernelDigestMove> kernel_digest_moves() { return all_moves; }

void move_kernel_digests(SQLite::Database& db, std::span<const KernelDigestMove> moves) {
  for (const KernelDigestMove& move : moves) {
    SQLite::Statement known(db, "SELECT 1 FROM kernels WHERE digest = ?");
    known.bind(1, std::string(move.from));
    if (known.executeStep()) move_one(db, move);
  }
}

}  // namespace bitune::database
