#include "cache/database/kernel_digest_moves.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <string>

namespace bitune::database {
namespace {

constexpr auto all_moves = std::to_array<KernelDigestMove>({
    // From the text of headers to the tokens of what they declare: the kernels of bitune 0.1.
    {"9e6f70098241f3d047b54412126d7a1f", "784c158e12b9aa8ca769abd785a09d92"},  // classic
    {"66d61b73eb50fd33a7583897fc6e5a01", "2246d2b906c414ebe5e4fdaf1cf26f63"},  // global
    {"d35cabf7f95ff2dda822539682d7cac0", "02c9c86dd6bcc0a36cee65e4ea808f2d"},  // shared
    {"fccf3933f619f1d0a56aa5945e0f8ce3", "32b2f171943540c3de4e055a872a1599"},  // warp
    {"814c1070e85fa25f290ba7cf637f2385", "736b85abbd0ed86e902f89c4ba1b3d1b"},  // multiway
    {"54369fc88d8d5cff6c0785e1999a06b0", "8938aeaa5d727806489ff7ef8a44c86d"},  // samplesort
    {"88ece04f0d83ca5972670a3d03480908", "53ab7d6c7e3c9ecddf5a97dca36c364f"},  // radix
    {"3084dbb8a33680298ba26b8b1d28e5ce", "532629583bdb016665dd9e1dd8a98b61"},  // cluster
    {"9ac3c0d58acf16c7336729f175f65787", "3952246208405314cbeb3b4b7b9852f8"},  // packed_clusters
    {"ce6352b3c5e25a7187e86d8ee241501f", "d63d85a9af5787871bda67b25f17f013"},  // rows
    {"704db1745fba947260cb2815e15a6261", "6a9d43558fc3e31d43f00d185d8c0792"},  // packed_rows
    {"1df85ef80ce18e84cabf5605c885672b", "55ba20135ea660362072b1ac49768d8b"},  // counting
    // Waiting for the launch before comes before letting the next one begin. All else is the same machine
    // code.
    {"32b2f171943540c3de4e055a872a1599", "c17113bfa4ffff689c537f9b685a74f1"},  // warp
    {"736b85abbd0ed86e902f89c4ba1b3d1b", "7cd4413558f115bf61f1e6ebabb89855"},  // multiway
    {"8938aeaa5d727806489ff7ef8a44c86d", "a1fe98bec74572496fd81b681a193f01"},  // samplesort
    {"53ab7d6c7e3c9ecddf5a97dca36c364f", "fc4f624bf8a2654b294573b5c28bf470"},  // radix
    {"532629583bdb016665dd9e1dd8a98b61", "88c2f18f5e1ed6ac29d6112e977c0898"},  // cluster
    {"55ba20135ea660362072b1ac49768d8b", "d84d816b142d2a1187265b0321a4badb"},  // counting
    // What was written twice in device code stands once, and names are the field's. The machine code is the
    // same.
    {"a1fe98bec74572496fd81b681a193f01", "d1f4a8e502477a54c98b208a3aa2729b"},  // samplesort
    {"fc4f624bf8a2654b294573b5c28bf470", "1c56b55dd7fae429188499b184713b99"},  // radix
    {"e71d3040f25f042a966e5acaa2fa3a8c", "378f4f23ea860d4df4f928c6da078f65"},  // radix_pairs
    {"d63d85a9af5787871bda67b25f17f013", "54a11d6a99c035c5acafe0104cb59529"},  // rows
    {"6a9d43558fc3e31d43f00d185d8c0792", "d15f67286eb694dbacef739fc7ea36b9"},  // packed_rows
    {"d3a048c012c10143bc7cdab7fd116b3a", "cb97495e7676509ffb1e599e026a3b9f"},  // merge_by_place
    {"2d3b5b6bc6c5ff89875b50c79e4d85ea", "458991f01d0a77b71a28a032c899fe85"},  // cluster_by_place
    {"fe801792870e695b651bb8bded3708f8", "d0914036e7458ff8410d7b2e372e932d"},  // rows_by_place
    {"d84d816b142d2a1187265b0321a4badb", "9cc8d62836ab21ac43c3c5386f60ed97"},  // counting
    // A float becomes an integer by a function of the platform, as no number is none in C++. The machine code
    // is the same.
    {"9e1607e1b32874931dab232bc220f5ae", "124fe440093b799b66038b3027f53a43"},  // filter_array
    {"4094f5db6de5d368d7c04d8b5a0a14b8", "72509a33e9f701e8ddcd6dfa137838b6"},  // filter_rows
    // All launches of a plan but the last let the next one begin before they wait. All else is the same
    // machine code.
    {"1c56b55dd7fae429188499b184713b99", "faa627cfaa88399948e23a42d2b880b6"},  // radix
    {"378f4f23ea860d4df4f928c6da078f65", "5cf8fde394f1bac1dba824448227e9f9"},  // radix_pairs
    // Comparators that move, striped stores and clusters that send keys of 64 bits are new values of
    // parameters. With the others the machine code is the same.
    {"458991f01d0a77b71a28a032c899fe85", "771fdfb40e287c135a829e1f98b98b0a"},  // cluster_by_place
    {"d0914036e7458ff8410d7b2e372e932d", "dcf25e228b0649853d228c829ed204bd"},  // rows_by_place
    {"1bb71dc07f3c58fc8f6685fcc98d6e4e", "3c75c6eeb68f6cd9de1d7930c92acf20"},  // rows_topk
    // One function sorts the tile of a pass. The machine code is the same.
    {"faa627cfaa88399948e23a42d2b880b6", "a1af308360aef141936da1dc7ef8681c"},  // radix
    {"5cf8fde394f1bac1dba824448227e9f9", "0328fec7f66a81fe9cd23e9911035afb"},  // radix_pairs
    {"1dee19dca111e4e7a160c45d815fcc87", "3ef94460a232b0f62ffcecc4e09ce5de"},  // segments
    {"86e675d4b0df6fe50521e9a59195a52f", "5fbb6139346956b54c5f089703029563"},  // segments_radix
    // Asking the L2 cache for later tiles is a choice of leading_digits alone. The machine code is the same.
    {"a1af308360aef141936da1dc7ef8681c", "4c5901a26a96f9c031db41adce5f6757"},  // radix
    {"0328fec7f66a81fe9cd23e9911035afb", "3b27886379e37467987694e29506a0e4"},  // radix_pairs
    {"3ef94460a232b0f62ffcecc4e09ce5de", "875cf3018cb3a48f94bb0c284396baa3"},  // segments
    {"5fbb6139346956b54c5f089703029563", "f09f697948a929f79e41630e81da59fa"},  // segments_radix
    {"c335e07463e10c819c36af8670e72acd", "3907c8327dba00ad6d9937d639921873"},  // direct_segments
    // Beside what sorts the sample there is what does not: the kernels that were measured are the same.
    {"dd76d84c5005a77f2cb973a14b0b36d7", "c551391c5c0929045b3bee2654dfbc99"},  // bucket_array
    // Of that, samples in order are of different groups. The kernels that were measured are the same.
    {"c551391c5c0929045b3bee2654dfbc99", "7d5c718f92ba264784374ed7a9b5310a"},  // bucket_array
    // Ranking in a warp has moved to the passes of single arrays, which may pack places. Where they do not,
    // the machine code is the same.
    {"4c5901a26a96f9c031db41adce5f6757", "eb8db767bfe1f76d9ccf1ddc532b2441"},  // radix
    {"3b27886379e37467987694e29506a0e4", "9ea2f4aab54e027ebacfe41da0ae645f"},  // radix_pairs
    {"70ec933c24a0cfffb0d139f1f0b1e851", "c8265210d257271a9dd4883f868e41b9"},  // segments
    {"f09f697948a929f79e41630e81da59fa", "aee09eb80e4d40c8c153ec837f9b071e"},  // segments_radix
    {"2181d2bd5a4de56de9f9328aff66c59f", "00b8bac2ffd084e29ed7efcba7708eb0"},  // leading_digits
    // Votes on digits are inverted in one way, and pairs are written in one. Before that came words that may
    // wait in the tile. The kernels that were measured are the same.
    {"eb8db767bfe1f76d9ccf1ddc532b2441", "21da42030b24dbbe7aa2b0e92f6d9845"},  // radix
    {"00b8bac2ffd084e29ed7efcba7708eb0", "2be2c270519745c9887c851ff6d7a963"},  // leading_digits
    {"c8265210d257271a9dd4883f868e41b9", "0b304381eda96352c96adc79fbd349cb"},  // segments
    {"aee09eb80e4d40c8c153ec837f9b071e", "0fe0db58fdee1ef5b88ab1da5e798cca"},  // segments_radix
    {"9eae0750ff2b34d643f0a06c50aa81ff", "21da42030b24dbbe7aa2b0e92f6d9845"},  // radix
    {"7432f95f06206b14146aec9f70aa6b9b", "2be2c270519745c9887c851ff6d7a963"},  // leading_digits
    {"02075306e76141f18fdafdcffbfbfbb5", "0b304381eda96352c96adc79fbd349cb"},  // segments
    {"31cc3c850a8fe4a665b46b000dc2e5e0", "0fe0db58fdee1ef5b88ab1da5e798cca"},  // segments_radix
    {"96f3c4f9fe584f4d4c60a7b8d15b287f", "bba499de2c5953e393842fe9d4d51071"},  // radix_pairs
    // Segments whose buckets share the lists, as they were measured, and with those changes.
    {"057165cb8e46dce7f620907a59580af4", "3374d60a45c534ce542f002c7aea771b"},  // segments
    // A function sorts a row by digits, for segments as well. The machine code is the same.
    {"0fe0db58fdee1ef5b88ab1da5e798cca", "fb3a1c5d1dd5931cb0e115840c29d18d"},  // segments_radix
    {"4521207868997dae69c5c9214ad4eaac", "3db2767af6eb7db7c6df5a96cca6f337"},  // rows_by_digits
    // Streams ask no L2 ahead, and the minima beside them have another bound. The kernels that were measured
    // are
    // the same.
    {"797aa242ce32941d23ddf101e0facc90", "1ebc29884f0e7bb5e0b4fd0990b637ae"},  // filter_array
    {"f6c53cbcfd364a478aea9f945fe141e0", "52ebb49d17a4c8fa641c8652896e9ffc"},  // copied_rows
    // What clusters choose by has headers of its own. The machine code of all other variants is the same.
    {"89da9498ce56a3fcb57ad0aa1a0e2a5d", "992a9849e2b3229282ad75d5d9f25662"},  // multiway
    {"1ebc29884f0e7bb5e0b4fd0990b637ae", "94f14b1c12d4e54025b452418f10b0e7"},  // filter_array
    {"92b3a3c02f8b7279eb4ae7068e00b2f6", "96b2d38f60633ae2350f6dc94e3b5e3c"},  // bucket_rows
    {"2973eb730c2ad11707b20824d66b52ac", "4efba3fdbefdcc3fa1997b944dcd6fb2"},  // select_array
    {"266c7dd404c5273bc3dffbbed8dd729d", "c4f955956e79968594341e1b3ba925a8"},  // select_rows
    {"52ebb49d17a4c8fa641c8652896e9ffc", "35a6f14b51658a49160a30d1356d9aee"},  // copied_rows
    {"c8353e24c6ebab9e69208f23d42e5acd", "9fd849d05346a93145774e43cf449a8e"},  // bin_rows
    {"ef5d0a3b2ea5621d2ab07c2937e92bc4", "91b800ccfd124b63e6ea977c0810b5ca"},  // minima_rows
    // A number is converted where a compiler asked for it. The machine code is the same.
    {"62cfcece149804c2e5a574e3a0e80324", "e26551af16d64da8efc53e367a410333"},  // select_cluster
    {"d9ead46785e6ac875f087059d629c19a", "219ddc2ffe03c7ac29cb983e81d7171f"},  // persistent_rows
    // Where a row's bound is narrowed by counting, a cluster's layout has a header of its own; and a row by
    // digits may have places.
    {"94f14b1c12d4e54025b452418f10b0e7", "953e86af4a16047cb29304fe0d386783"},  // filter_array
    {"96b2d38f60633ae2350f6dc94e3b5e3c", "a5cf77d2e4bd7c9efffb16c7163e3787"},  // bucket_rows
    {"4efba3fdbefdcc3fa1997b944dcd6fb2", "bda9ef1e1e6b09bee0dd889509ba49c3"},  // select_array
    {"c4f955956e79968594341e1b3ba925a8", "17594ab646f7b7bfb00297432be26ab3"},  // select_rows
    {"35a6f14b51658a49160a30d1356d9aee", "9119fd598817dc470e72f1c18bb7f1ed"},  // copied_rows
    {"95136f69bd5417ed87bfbd6866cce04b", "8499a656986c914adc9e85ada9c2538d"},  // segments
    {"9fd849d05346a93145774e43cf449a8e", "d65f256476beedfc53e0aa921a0788b4"},  // bin_rows
    {"91b800ccfd124b63e6ea977c0810b5ca", "92ce2be3fdfaf421dc75ee939a9eaa73"},  // minima_rows
    {"3db2767af6eb7db7c6df5a96cca6f337", "07cad032f9051d512a7ce58a459f90eb"},  // rows_by_digits
    // What select_rows keeps in registers has a header of its own. The machine code of others is the same.
    {"f4b1bc1da512ad62d4697a88f8c3be1c", "0582e0e340505afb4791c34a9196a013"},  // select_cluster
    {"9119fd598817dc470e72f1c18bb7f1ed", "dea3fbb35c858053ece094f42f58cf4d"},  // copied_rows
    {"3976f49435f5c34c73765662607a4319", "897563d15e881bb4b57bd9cc02c4f4e3"},  // persistent_rows
    // Tiles of a radix pass may have any size: ramped_pairs_pass has small ones. All other kernels have the
    // same machine code. radix_pairs does not move: its long arrays take that kernel now.
    {"21da42030b24dbbe7aa2b0e92f6d9845", "9e60cda7b0870d68599b0776601c8a43"},  // radix
    {"8499a656986c914adc9e85ada9c2538d", "6e563b9cc17ebd23e7f12432144f2059"},  // segments
    {"fb3a1c5d1dd5931cb0e115840c29d18d", "d144b5247bf9136a549ef53ddda7cd40"},  // segments_radix
    {"5a4a19d201ddb4e1670fc229a7fa9791", "ce55f881e79483e5228d8e5aafe4db92"},  // rows_as_segments
    {"cb03f676c2e30aca613ab6d7def78a5f", "8fbe3e694261193a691948bec575fa70"},  // direct_segments
    {"2be2c270519745c9887c851ff6d7a963", "f5bf2e7d2e95db7e7ab8e6f2e2300271"},  // leading_digits
    // Passes over pairs have words between them. Here the machine code is the same. Not so for the floats of
    // radix_pairs, which stays out.
    {"6e563b9cc17ebd23e7f12432144f2059", "d34fe86db4474e87a449831e1e1c7b84"},  // segments
    {"d144b5247bf9136a549ef53ddda7cd40", "5246d5f596998aec036fa4d2065bfb08"},  // segments_radix
    {"ce55f881e79483e5228d8e5aafe4db92", "79e51393c1aec1cc5fbc2ed2572c6b3f"},  // rows_as_segments
    {"8fbe3e694261193a691948bec575fa70", "fdc63d7ac0f1ded198b8169136003464"},  // direct_segments
    {"f5bf2e7d2e95db7e7ab8e6f2e2300271", "5f22a838bee6803bf9837000c1360a69"},  // leading_digits
    // What is read and written of a segment can be copied; these do not use it.
    {"5246d5f596998aec036fa4d2065bfb08", "a7cba4386c0401a2852d66e6af39f033"},  // segments_radix
    {"9a3dc028f4d4f1b03a7be753df01f39c", "3ec551c4052d662293ef2d9b498f43d1"},  // direct_segments
    // What a cluster sends to one block, and one round of narrowing, have functions of their own; most
    // comparisons are an argument.
    {"a5cf77d2e4bd7c9efffb16c7163e3787", "445a381ec0c430eff2ef7bc5cd0ca14c"},  // bucket_rows
    {"0582e0e340505afb4791c34a9196a013", "b3403c8091465d925819b458cf4228c7"},  // select_cluster
    {"d65f256476beedfc53e0aa921a0788b4", "f6992863a05dae333b72402d5b90a651"},  // bin_rows
    {"92ce2be3fdfaf421dc75ee939a9eaa73", "691cdac34738b617a3cd62d126705559"},  // minima_rows
    {"897563d15e881bb4b57bd9cc02c4f4e3", "3bf86bda5af9761a83a8fc56cfdfa547"},  // persistent_rows
    {"fdbc660ac115a59794930645b8a75989", "246b72434e8427bad2d6ba90449918c6"},  // digit_rows
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

bool has_moved_kernels(SQLite::Database& db) {
  SQLite::Statement digests(db, "SELECT digest FROM kernels");
  while (digests.executeStep()) {
    const std::string digest = digests.getColumn(0).getString();
    for (const KernelDigestMove& move : all_moves) {
      if (move.from == digest) return true;
    }
  }
  return false;
}

void move_kernel_digests(SQLite::Database& db, std::span<const KernelDigestMove> moves) {
  for (const KernelDigestMove& move : moves) {
    SQLite::Statement known(db, "SELECT 1 FROM kernels WHERE digest = ?");
    known.bind(1, std::string(move.from));
    if (known.executeStep()) move_one(db, move);
  }
}

}  // namespace bitune::database
