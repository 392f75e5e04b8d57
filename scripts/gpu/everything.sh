#!/usr/bin/env bash
# All that a release is measured with, in one go, by the scripts beside this one: tunes single arrays, rows, pairs and argsort, into one
# database, and compares with CUB, torch and the published sorts. With two GPUs one takes the single arrays and then the pairs, and
# the other the rows, each with half of the processors. Leaves in OUT: tuning.db (all evidence), tunings.db (what data/tunings.db ships),
# single/single.json, pairs/pairs.json, rows/rows.json and presets.json (what bench/results/<gpu>/ records), and logs.
# usage: scripts/gpu/everything.sh OUT [BIN]
# environment: STEPS (tune bench presets), SINGLE_BUDGET (4m), ROWS_BUDGET (60s, for each key type), PAIRS_BUDGET
# (2m, for each part), what tune_and_bench.sh, rows.sh and pairs.sh take besides, BITUNE_SHIPPED_DB (to begin with what won before)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
STEPS=${STEPS:-tune bench presets}
between=10000,100000,1000000,3000000
gpus=$(gpu_count)
JOBS=$((gpus > 1 ? 2 : 1))

# run SHARE SCRIPT FOLDER SETTING...: a script beside this one, as `on` has it; its results go to that folder of OUT.
run() { on "$1" "${@:4}" "$here/$2.sh" "$OUT/$3" "$BIN"; }
tune_single() {
  run 0 tune_and_bench single STEPS=tune KEYS=u32,f32,u64,u16 SIZES="2^10..2^28,$between" BUDGET="${SINGLE_BUDGET:-4m}"
  run 0 pairs pairs STEPS=tune BUDGET="${PAIRS_BUDGET:-2m}"
}
tune_rows() { run 1 rows rows STEPS=tune BUDGET="${ROWS_BUDGET:-60s}"; }
bench_single() {
  run 0 tune_and_bench single STEPS="bench arranged normal start" BENCH_KEYS=u32,f32 BENCH_SIZES="2^8..2^28,$between"
  run 0 tune_and_bench single STEPS=bench BENCH_KEYS=u64,u16 BENCH_SIZES=2^10..2^26,100000,1000000
  run 0 pairs pairs STEPS="bench torch"
}
bench_rows() { run 1 rows rows STEPS="bench latency sweep torch"; }

if wants tune; then
  beside tune-single tune_single
  beside tune-rows tune_rows
  together
  ship
fi
export BITUNE_SHIPPED_DB=
if wants bench; then
  beside bench-single bench_single
  beside bench-rows bench_rows
  together
fi
# The longest arrays first: those are measured least often.
if wants presets; then
  for n in 2^29 2^28 2^27 2^20..2^26; do
    step "presets-$n" "$BIN/bitune" bench presets --sizes "$n" --samples 3 --out "$OUT/presets.json"
  done
fi
finish
