#!/usr/bin/env bash
# Two builds of bitune in one process, in turn: what sorts take with NEW as a multiple of what they take with OLD. The same comparison with
# NEW on both sides tells how far two equal sorts are apart there; the gain is taken to that. Each build selects from its own shipped tunings.
# A build is a folder with lib/libbitune.so and share/bitune/tunings.db; NEW has bin/bitune and bin/bitune_peer_bitune.so as well.
# Leaves in OUT: OPERATION-old.json and OPERATION-new.json (NEW beside OLD, and beside itself), gains.txt, and logs.
# usage: scripts/gpu/compare_builds.sh OUT OLD [NEW]
# environment: OPERATIONS (sort sort_pairs argsort), KEYS (u32,u64), SIZES (2^20..2^26), SAMPLES (25),
# DISTRIBUTION (random; normal: floats on both sides of 0), ONLY (a variant; all that is selected)
set -uo pipefail
OUT=${1:-} OLD=${2:-} NEW=${3:-build/portable}
BIN=$NEW/bin
source "$(dirname "$0")/common.sh"
[[ -e $OLD/lib/libbitune.so ]] || { echo "$0: there is no lib/libbitune.so in '$OLD'" >&2; exit 2; }
require_gpu
read -ra operations <<<"${OPERATIONS:-sort sort_pairs argsort}"

# beside_build NAME BUILD OPERATION: NEW's sorts beside those of the build.
beside_build() {
  step "$1" env BITUNE_DB="$OUT/none.db" BITUNE_PEER_DB="$OUT/none.db" BITUNE_PEER_LIBRARY="$(realpath "$2")/lib/libbitune.so" \
    "$BIN/bitune" bench --against bitune --samples "${SAMPLES:-25}" --operation "$3" --keys "${KEYS:-u32,u64}" \
    --sizes "${SIZES:-2^20..2^26}" --distributions "${DISTRIBUTION:-random}" --out "$OUT/$1.json"
}

for operation in "${operations[@]}"; do
  beside_build "$operation-old" "$OLD" "$operation"
  beside_build "$operation-new" "$NEW" "$operation"
done
step gains "${PYTHON:-python3}" - "$OUT" "${ONLY:-}" "${operations[@]}" <<'END'
import json, math, pathlib, sys
folder, only, *operations = sys.argv[1:]
for operation in operations:
    old, new = ({(r["key_type"], r["n"]): r for r in json.loads((pathlib.Path(folder) / f"{operation}-{which}.json").read_text())}
                for which in ("old", "new"))
    gains = []
    for key, n in sorted(old):
        record = old[key, n]
        if not record["configuration"].startswith(only): continue
        gains.append(record["ratio"] / new[key, n]["ratio"])
        print(f'{operation:10} {key:4} {n:>10}: {gains[-1]:.3f} times as fast, {record["bitune_us"]:.2f} us by '
              f'{record["configuration"].partition("(")[0]}')
    if gains: print(f"{operation}: {math.exp(sum(map(math.log, gains)) / len(gains)):.3f} on average, {min(gains):.3f} at least")
END
cat "$OUT/gains.log"
finish
