#!/usr/bin/env bash
# Tunes on the GPU of this machine, compares with CUB, and leaves in OUT: tuning.db (all evidence), tunings.db (the best: what
# data/tunings.db ships), single.json (what bench/results/<gpu>/single.json records), and logs.
# usage: scripts/gpu/tune_and_bench.sh OUT [BIN]
# environment: KEYS (u32,f32,u64), SIZES (2^10..2^26), BUDGET (5m, for all of them), STRATEGY (bayesian), BENCH_KEYS (KEYS),
# BENCH_SIZES (2^8..2^28), BITUNE_DB (an existing database goes on where it stopped)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
cat "$OUT/devices.txt"
keys=${KEYS:-u32,f32,u64}
command -v nvidia-smi >/dev/null && nvidia-smi >"$OUT/nvidia-smi.txt" 2>&1

step tune "$BIN/bitune" tune --keys "$keys" --sizes "${SIZES:-2^10..2^26}" --budget "${BUDGET:-5m}" --strategy "${STRATEGY:-bayesian}"
step best "$BIN/bitune" db best
rm -f "$OUT/tunings.db"
step ship "$BIN/bitune" db ship "$OUT/tunings.db"
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
step bench "$BIN/bitune" bench --keys "${BENCH_KEYS:-$keys}" --sizes "${BENCH_SIZES:-2^8..2^28}" --out "$OUT/single.json"
cat "$OUT/bench.log"
finish
