#!/usr/bin/env bash
# Tunes on the GPU of this machine, compares with CUB, and leaves in OUT: tuning.db (all evidence), tunings.db (the best: what
# data/tunings.db ships), single.json (what bench/results/<gpu>/single.json records), and logs.
# usage: scripts/gpu/tune_and_bench.sh OUT [BIN]
# environment: STEPS (tune bench arranged normal start), KEYS (u32,f32,u64), SIZES (2^10..2^26), BUDGET (5m, for all of them), STRATEGY (bayesian), BENCH_KEYS (KEYS),
# BENCH_SIZES (2^8..2^28), START_SIZES (2^10,2^16,2^20,2^24), BITUNE_DB (an existing database goes on where it stopped)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
STEPS=${STEPS:-tune bench arranged normal start}
keys=${KEYS:-u32,f32,u64}
command -v nvidia-smi >/dev/null && nvidia-smi >"$OUT/nvidia-smi.txt" 2>&1

if wants tune; then
  step tune "$BIN/bitune" tune --keys "$keys" --sizes "${SIZES:-2^10..2^26}" --budget "${BUDGET:-5m}" --strategy "${STRATEGY:-bayesian}"
  ship
fi
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
bench() { "$BIN/bitune" bench --out "$OUT/single.json" "$@"; }
wants bench && step bench bench --graph --keys "${BENCH_KEYS:-$keys}" --sizes "${BENCH_SIZES:-2^8..2^28}"
wants arranged && step arranged bench --keys u32 --sizes 2^16,2^18,2^20,2^22 \
  --distributions sorted,reversed,all_equal,few_distinct,sawtooth
# Floats as people have them, of both signs around 0.
wants normal && step normal bench --keys f32,f64 --sizes 2^10..2^24 --distributions normal
wants start && step start "$BIN/bitune" bench start --out "$OUT/single.json" --keys u32 --sizes "${START_SIZES:-2^10,2^16,2^20,2^24}"
for log in bench arranged normal start; do
  wants "$log" && cat "$OUT/$log.log"
done
finish
