#!/usr/bin/env bash
# All that a release is measured with, in one go: tunes single arrays and rows, merges what was learnt, and compares with CUB, torch
# and the published sorts. With two GPUs one takes the single arrays and the other the rows, each with half of the processors.
# Leaves in OUT: tuning.db (all evidence), tunings.db (what data/tunings.db ships), single.json, rows.json, presets.json (what
# bench/results/<gpu>/ records), and logs. What comes first matters most: a run that is cut short leaves what it has.
# usage: scripts/gpu/everything.sh OUT [BIN]
# environment: STEPS (tune bench presets), BUDGET (60s, for each key type and suite), SINGLE_KEYS, ROW_KEYS (u32,f32,u64,u16), SIZES
# (2^10..2^28 and some between), LENGTHS (of rows), SWEEP (awkward lengths), BITUNE_SHIPPED_DB (to begin with what won before), PYTHON
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
require_gpu
cat "$OUT/devices.txt"
steps=" ${STEPS:-tune bench presets} "
wants() { [[ $steps == *" $1 "* ]]; }
between=10000,100000,1000000,3000000
sizes=${SIZES:-2^10..2^28,$between}
# Odd lengths, whose rows are not aligned, want other configurations than their even neighbours.
lengths=${LENGTHS:-16,32,64,100,128,256,512,1024,2048,4096,8192,16384,32768,65536,63,127,255,511,1023,2047,4095,8191}
sweep=${SWEEP:-2,3,5,7,15,17,31,33,63,65,127,129,255,257,511,513,1000,1023,1025,2047,2049,4095,4097,5000,8191,8193,16383,16385,32767,32769,65535}

# on SHARE COMMAND...: on a GPU, and the processors, of one of two halves; of all there is, where there is one GPU.
gpus=$("$BIN/bitune" devices --json | grep -c '"kind": *"cuda"')
on() {
  local share=$1 half=$(($(nproc) / 2))
  shift
  if ((gpus > 1)); then
    taskset -c "$((share * half))-$((share * half + half - 1))" "$@" --device "$share"
  else
    "$@"
  fi
}
# halves FUNCTION FUNCTION: at once where there are two GPUs, else one after the other.
halves() {
  if ((gpus < 2)); then
    "$1"
    "$2"
    return
  fi
  local pid pids=()
  for part in "$@"; do
    ("$part" && ((${#failed[@]} == 0))) &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed+=("a step of $*"); done
}

tune_single() {
  export BITUNE_DB=$OUT/learnt-single.db
  for key in ${SINGLE_KEYS:-u32 f32 u64 u16}; do
    step "tune-single-$key" on 0 "$BIN/bitune" tune --keys "$key" --sizes "$sizes" --budget "${BUDGET:-60s}"
  done
}
tune_rows() {
  export BITUNE_DB=$OUT/learnt-rows.db
  for key in ${ROW_KEYS:-u32 f32 u64 u16}; do
    step "tune-rows-$key" on 1 "$BIN/bitune" tune --keys "$key" --sizes "$lengths" --total 2^26 --budget "${BUDGET:-60s}"
  done
  for rows in 8 128; do
    step "tune-rows-$rows" on 1 "$BIN/bitune" tune --keys u32 --sizes 128,1024,8192,65536 --rows "$rows" --budget 10s
  done
}
bench_single() {
  local bench=(on 0 "$BIN/bitune" bench --out "$OUT/single.json")
  step bench-single "${bench[@]}" --keys u32,f32 --sizes "2^8..2^28,$between"
  step bench-wide "${bench[@]}" --keys u64,u16 --sizes 2^10..2^26,100000,1000000 --samples 9
  step bench-arranged "${bench[@]}" --keys u32 --sizes 2^16,2^18,2^20,2^22 --samples 9 \
    --distributions sorted,reversed,all_equal,few_distinct,sawtooth
}
bench_rows() {
  local bench=(on 1 "$BIN/bitune" bench --suite rows --out "$OUT/rows.json")
  step bench-rows "${bench[@]}" --keys u32,f32,u64,u16 --sizes "$lengths" --samples 9
  step bench-batches "${bench[@]}" --keys u32 --sizes 16,128,1024,8192,65536 --rows 1,8,128
  step bench-torch env CUDA_VISIBLE_DEVICES=$((gpus > 1)) "${PYTHON:-python3}" "$here/torch_rows.py" "$OUT/rows.json"
  step bench-sweep "${bench[@]}" --keys u32 --sizes "$sweep" --samples 5
}

if wants tune; then
  halves tune_single tune_rows
  step merge "$BIN/bitune" db merge "$OUT/learnt-single.db" "$OUT/learnt-rows.db"
  rm -f "$OUT/tunings.db"
  step ship "$BIN/bitune" db ship "$OUT/tunings.db"
fi
export BITUNE_SHIPPED_DB=
wants bench && halves bench_single bench_rows
# The longest arrays first: those are measured least often.
if wants presets; then
  for n in 2^29 2^28 2^27 2^20..2^26; do
    step "presets-$n" "$BIN/bitune" bench presets --sizes "$n" --samples 3 --out "$OUT/presets.json"
  done
fi
finish
