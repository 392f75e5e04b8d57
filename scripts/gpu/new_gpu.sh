#!/usr/bin/env bash
# What somebody sees on a GPU that nobody has tuned: `bitune tune` with its defaults, beginning with what is shipped; then what is selected
# before and after it, in turn and in one process. Fails if a problem that got another configuration is slower by more than 1 %.
# The same comparison with what is shipped on both sides tells how far two equal sorts are apart there, as their memory is not the same; the
# ratio is taken to that. Leaves in OUT: tuning.db, before.json and after.json (the peer of both is bitune as it was before), and logs.
# usage: scripts/gpu/new_gpu.sh OUT [BIN]
# environment: OPERATIONS (sort), KEYS (u32,f32), SIZES (2^10..2^26), BUDGET (what bitune tune takes by itself), SAMPLES (15), STEPS (tune compare),
# LIMIT (480: seconds of all; the comparisons share what tuning leaves, and what they do not reach is not compared)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
STEPS=${STEPS:-tune compare}
LIMIT=${LIMIT:-480}
problems=(--operation "${OPERATIONS:-sort}" --keys "${KEYS:-u32,f32}" --sizes "${SIZES:-2^10..2^26}")

# as_far_as_it_gets COMMAND...: until the limit, which is no failure.
as_far_as_it_gets() { limited "$@" || { local rc=$?; ((rc == 124 || rc == 137)) && echo "stopped at the limit" || return "$rc"; }; }

# against_before NAME DATABASE: what is selected with that database beside what is selected with none of one's own.
against_before() {
  step "$1" as_far_as_it_gets env BITUNE_DB="$2" BITUNE_PEER_DB="$OUT/none.db" "$BIN/bitune" bench --against bitune \
    --samples "${SAMPLES:-15}" --out "$OUT/$1.json" "${problems[@]}"
}

wants tune && step tune "$BIN/bitune" tune "${problems[@]}" ${BUDGET:+--budget "$BUDGET"}
if wants compare; then
  LIMIT=$((SECONDS + (LIMIT - SECONDS) / 2)) against_before after "$BITUNE_DB"
  against_before before "$OUT/none.db"
  step slower "${PYTHON:-python3}" - "$OUT/before.json" "$OUT/after.json" <<'END'
import json, sys
before, after = ({(r["operation"], r["key_type"], r["n"]): r for r in json.load(open(path))} for path in sys.argv[1:])
compared = after.keys() & before.keys()
changed = {p for p in compared if after[p]["configuration"] != before[p]["configuration"]}
gains = {p: after[p]["ratio"] / before[p]["ratio"] for p in changed}
slower = sorted(p for p in changed if gains[p] < 0.99)
for p in sorted(changed):
    print(f'{p[0]} {p[1]} {p[2]:>9}: {gains[p]:.3f} times as fast, {after[p]["bitune_us"]:.2f} us by {after[p]["configuration"]}')
print(f"{len(compared)} problems compared, {len(changed)} with another configuration, {len(slower)} slower by more than 1 %")
sys.exit(bool(slower) or not compared)
END
  cat "$OUT/slower.log"
fi
finish
