#!/usr/bin/env bash
# What somebody sees on a GPU that nobody has tuned: `bitune tune` with its defaults, beginning with what is shipped; then what is selected
# before and after it, in turn and in one process. Fails if a problem is slower than before by more than 1 %. Leaves in OUT: tuning.db,
# before_after.json (its peer is bitune as it was before), and logs.
# usage: scripts/gpu/new_gpu.sh OUT [BIN]
# environment: KEYS (u32,f32), SIZES (2^10..2^26), BUDGET (what bitune tune takes by itself), SAMPLES (25), STEPS (tune compare)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
STEPS=${STEPS:-tune compare}
problems=(--keys "${KEYS:-u32,f32}" --sizes "${SIZES:-2^10..2^26}")

wants tune && step tune "$BIN/bitune" tune "${problems[@]}" ${BUDGET:+--budget "$BUDGET"}
if wants compare; then
  export BITUNE_PEER_DB=$OUT/before.db  # there is none: what is shipped is selected
  step compare "$BIN/bitune" bench --against bitune --samples "${SAMPLES:-25}" --out "$OUT/before_after.json" "${problems[@]}"
  cat "$OUT/compare.log"
  step slower "${PYTHON:-python3}" - "$OUT/before_after.json" <<'END'
import json, sys
records = json.load(open(sys.argv[1]))
slower = [r for r in records if r["ratio"] < 0.99]
for r in slower:
    print(f'{r["key_type"]} {r["n"]}: {r["bitune_us"]:.2f} us after, {r["peer_us"]:.2f} before, by {r["configuration"]}')
gains = sorted(r["ratio"] for r in records)
print(f"{len(records)} problems, {len(slower)} slower by more than 1 %; before / after from {gains[0]:.3f} to {gains[-1]:.3f}")
sys.exit(bool(slower))
END
  cat "$OUT/slower.log"
fi
finish
