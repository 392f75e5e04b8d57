#!/usr/bin/env bash
# Rows on the GPU of this machine: tunes them, compares with CUB's segmented sorts and torch.sort, and leaves in OUT: tuning.db,
# tunings.db (the best: what data/tunings.db ships), rows.json (what bench/results/<gpu>/rows.json records), and logs.
# usage: scripts/gpu/rows.sh OUT [BIN]
# environment: STEPS (tune bench latency sweep torch), KEYS (u32,f32,u16,u64), LENGTHS, TOTAL (2^26 keys), BUDGET (2m for each key
# type), STRATEGY (bayesian), LATENCY_LENGTHS, LATENCY_ROWS (1,8,128), SWEEP (awkward lengths), SWEEP_KEYS (u32), SAMPLES (15),
# BITUNE_DB (an existing database goes on where it stopped), PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
keys=${KEYS:-u32,f32,u16,u64}
total=${TOTAL:-2^26}
# Odd lengths, whose rows are not aligned, want other configurations than their even neighbours.
lengths=${LENGTHS:-16,32,64,100,128,256,512,1024,2048,4096,8192,16384,32768,65536,63,127,255,511,1023,2047,4095,8191}
STEPS=${STEPS:-tune bench latency sweep torch}
bench() { "$BIN/bitune" bench --suite rows --samples "${SAMPLES:-15}" --out "$OUT/rows.json" "$@"; }

if wants tune; then
  for key in ${keys//,/ }; do
    step "tune-$key" "$BIN/bitune" tune --keys "$key" --sizes "$lengths" --total "$total" --budget "${BUDGET:-2m}" \
      --strategy "${STRATEGY:-bayesian}"
  done
  for rows in 8 128; do
    step "tune-$rows" "$BIN/bitune" tune --keys u32 --sizes 128,1024,8192,65536 --rows "$rows" --budget 10s
  done
  ship
fi
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
wants bench && step bench bench --keys "$keys" --sizes "$lengths" --total "$total"
wants latency && step latency bench --keys "$keys" --sizes "${LATENCY_LENGTHS:-16,128,1024,8192,65536}" \
  --rows "${LATENCY_ROWS:-1,8,128}"
wants sweep && step sweep bench --keys "${SWEEP_KEYS:-u32}" --total "$total" \
  --sizes "${SWEEP:-1,2,3,5,7,8,15,17,31,33,63,65,127,129,255,257,511,513,1000,1023,1025,2047,2049,4095,4097,5000,8191,8193,16383,16385,32767,32769,65535}"
wants torch && step torch "${PYTHON:-python3}" "$here/torch_sorts.py" "$OUT/rows.json"
for log in bench latency sweep torch; do
  wants "$log" && cat "$OUT/$log.log"
done
finish
