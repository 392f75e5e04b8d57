#!/usr/bin/env bash
# Keys with values, and argsort, on the GPU of this machine: tunes them, compares with CUB and torch, and leaves in OUT: tuning.db,
# tunings.db (the best: what data/tunings.db ships), pairs.json (what bench/results/<gpu>/pairs.json records), and logs. One part after
# the other; each takes at most 4 minutes, so that a call may do one: scripts/gpu/pairs.sh OUT BIN u32. Each adds to tuning.db and pairs.json.
# usage: scripts/gpu/pairs.sh OUT [BIN [PART...]]
# parts: u32 f32 (arrays: pairs with values of 4 bytes, and argsort), u64 (arrays: values of 4 and 8 bytes), rows (f32: argsort and pairs),
#   half (bf16 and f16: argsort of rows), long (f32: argsort and pairs of rows of 65,536 keys and more), widths (other widths of values),
#   narrow (keys of 8 and 16 bits), orders (descending, and unstable)
# environment: STEPS (tune bench torch), BUDGET (150s of tuning a part: each problem has its share, and what is selected today is measured
# first), VARIANTS (all; what is selected today is measured besides), SIZES (arrays), ROW_LENGTHS (16..32768), TOTAL (2^26 keys in all rows),
# STRATEGY (bayesian), SAMPLES (15), BITUNE_DB (an existing database goes on where it stopped), PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
shift $(($# < 2 ? $# : 2))
parts=${*:-u32 f32 u64 rows half long widths narrow orders}
STEPS=${STEPS:-tune bench torch}
between=1000,10000,100000,1000000,3000000,50000000
sizes=${SIZES:-2^8..2^28:2,$between}
total=${TOTAL:-2^26}
budget=${BUDGET:-150s}

# sorts_of PART: a line for each command, with the options that tune and bench share.
sorts_of() {
  case $1 in
  u32 | f32) echo "--keys $1 --operation sort_pairs,argsort --sizes $sizes" ;;
  u64) echo "--keys u64 --operation sort_pairs --value-bytes 4,8 --sizes $sizes" ;;
  rows) echo "--keys f32 --operation argsort,sort_pairs --sizes ${ROW_LENGTHS:-16..32768} --total $total" ;;
  half) echo "--keys bf16,f16 --operation argsort --sizes 128,1024,4096 --total $total" ;;
  widths)
    echo "--keys u32 --operation sort_pairs --value-bytes 1,2,8,16 --sizes $between"
    echo "--keys u64 --operation sort_pairs --value-bytes 1,2,16 --sizes $between"
    ;;
  narrow) echo "--keys u8,u16 --operation sort_pairs,argsort --sizes 2^16,2^18,2^20,$between" ;;
  long)
    for shape in 65536:256 131072:16 131072:64 131072:256 2^20:8; do
      echo "--keys f32 --operation argsort,sort_pairs --sizes ${shape%:*} --rows ${shape#*:}"
    done
    ;;
  orders)
    echo "--keys f32 --order descending --operation sort_pairs,argsort --sizes 2^10,2^16,2^20,2^24"
    echo "--keys u32 --unstable --operation sort_pairs,argsort --sizes 2^10,2^16,2^20,2^24"
    ;;
  *) echo "$0: there is no part '$1'; there are u32 f32 u64 rows half long widths narrow orders" >&2 && return 1 ;;
  esac
}

tune_and_bench() {
  local part=$1 number=$2 count=$3 line=$4 suite=()
  [[ $part == rows || $part == half || $part == long ]] && suite=(--suite rows)
  # shellcheck disable=SC2086  # a line is a list of options
  if wants tune; then
    step "tune-$part-$number" "$BIN/bitune" tune --budget "$(($(seconds "$budget") / count))s" --strategy "${STRATEGY:-bayesian}" --variants "${VARIANTS:-all}" $line
  fi
  # shellcheck disable=SC2086
  if wants bench; then
    step "bench-$part-$number" "$BIN/bitune" bench --samples "${SAMPLES:-15}" --out "$OUT/pairs.json" "${suite[@]}" $line
    cat "$OUT/bench-$part-$number.log"
  fi
}

tune_and_bench_ended() {
  wants torch || return 0
  step "torch-$1" "${PYTHON:-python3}" "$here/torch_sorts.py" --missing "$OUT/pairs.json"
  cat "$OUT/torch-$1.log"
}

# shellcheck disable=SC2086  # parts are words
parts_in_turn sorts_of tune_and_bench $parts
finish
