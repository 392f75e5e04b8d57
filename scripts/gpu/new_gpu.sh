#!/usr/bin/env bash
# What somebody sees on a GPU that nobody has tuned: `bitune tune` with its defaults, beginning with what is shipped; then what is selected
# before and after it, in turn and in one process. Fails if a problem that got another configuration is slower by more than 1 %.
# The same comparison with what is shipped on both sides tells how far two equal sorts are apart there, as their memory is not the same; the
# ratio is taken to that. Leaves in OUT: tuning.db, before.json and after.json (the peer of both is bitune as it was before), and logs.
# usage: scripts/gpu/new_gpu.sh OUT [BIN]
# environment: KEYS (u32,f32), SIZES (2^10..2^26), BUDGET (what bitune tune takes by itself), SAMPLES (25), STEPS (tune compare)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
STEPS=${STEPS:-tune compare}
problems=(--keys "${KEYS:-u32,f32}" --sizes "${SIZES:-2^10..2^26}")

# against_before NAME DATABASE: what is selected with that database beside what is selected with none of one's own.
against_before() {
  step "$1" env BITUNE_DB="$2" BITUNE_PEER_DB="$OUT/none.db" "$BIN/bitune" bench --against bitune --samples "${SAMPLES:-25}" \
    --out "$OUT/$1.json" "${problems[@]}"
}

wants tune && step tune "$BIN/bitune" tune "${problems[@]}" ${BUDGET:+--budget "$BUDGET"}
if wants compare; then
  against_before before "$OUT/none.db"
  against_before after "$BITUNE_DB"
  step slower "${PYTHON:-python3}" - "$OUT/before.json" "$OUT/after.json" <<'END'
import json, sys
before, after = ({(r["key_type"], r["n"]): r for r in json.load(open(path))} for path in sys.argv[1:])
changed = {p for p in after if after[p]["configuration"] != before[p]["configuration"]}
gains = {p: after[p]["ratio"] / before[p]["ratio"] for p in changed}
slower = sorted(p for p in changed if gains[p] < 0.99)
for p in sorted(changed):
    print(f'{p[0]} {p[1]:>9}: {gains[p]:.3f} times as fast, {after[p]["bitune_us"]:.2f} us by {after[p]["configuration"]}')
print(f"{len(after)} problems, {len(changed)} with another configuration, {len(slower)} slower by more than 1 %")
sys.exit(bool(slower))
END
  cat "$OUT/slower.log"
fi
finish
