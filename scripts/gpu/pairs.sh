#!/usr/bin/env bash
# Keys with values, and argsort, on the GPU of this machine: tunes them, compares with CUB and torch, and leaves in OUT: tuning.db,
# tunings.db (the best: what data/tunings.db ships), pairs.json (what bench/results/<gpu>/pairs.json records), and logs. Each key type
# adds its records to pairs.json when it is done. To do a part at a time: STEPS, SIZES, and KEYS, WIDE_KEYS and ROW_KEYS, which may be empty.
# usage: scripts/gpu/pairs.sh OUT [BIN]
# environment: STEPS (tune bench torch), KEYS (u32,f32: pairs with values of 4 bytes, and argsort), WIDE_KEYS (u64: pairs with values of 4 and
# 8 bytes), ROW_KEYS (f32: as KEYS, of many rows), OPERATIONS (sort_pairs,argsort), SIZES (2^8..2^28:2 and lengths between), ROW_LENGTHS
# (16..32768), TOTAL (2^26 keys in all rows), BUDGET (3m for each key type), STRATEGY (bayesian), SAMPLES (15), BITUNE_DB (an existing database
# goes on where it stopped), PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
require_gpu
STEPS=${STEPS:-tune bench torch}
keys=${KEYS-u32,f32}
wide_keys=${WIDE_KEYS-u64}
operations=${OPERATIONS:-sort_pairs,argsort}
row_keys=${ROW_KEYS-f32}
sizes=${SIZES:-2^8..2^28:2,1000,10000,100000,1000000,3000000,50000000}

# arrays STEP COMMAND...: the command for each key type, with what is done to it.
arrays() {
  local name=$1 key
  shift
  for key in ${keys//,/ }; do step "$name-$key" "$@" --sizes "$sizes" --keys "$key" --operation "$operations"; done
  for key in ${wide_keys//,/ }; do
    step "$name-wide-$key" "$@" --sizes "$sizes" --keys "$key" --operation sort_pairs --value-bytes 4,8
  done
}

# rows STEP COMMAND...: the same for many rows.
rows() {
  local name=$1 key
  shift
  for key in ${row_keys//,/ }; do
    step "$name-rows-$key" "$@" --sizes "${ROW_LENGTHS:-16..32768}" --total "${TOTAL:-2^26}" --keys "$key" --operation "$operations"
  done
}

if wants tune; then
  tune=("$BIN/bitune" tune --budget "${BUDGET:-3m}" --strategy "${STRATEGY:-bayesian}")
  arrays tune "${tune[@]}"
  rows tune "${tune[@]}"
  ship
fi
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
if wants bench; then
  bench=("$BIN/bitune" bench --samples "${SAMPLES:-15}" --out "$OUT/pairs.json")
  arrays bench "${bench[@]}"
  rows bench "${bench[@]}" --suite rows
fi
wants torch && step torch "${PYTHON:-python3}" "$here/torch_sorts.py" "$OUT/pairs.json"
for log in "$OUT"/bench-*.log "$OUT"/torch.log; do
  [[ -f $log ]] && cat "$log"
done
finish
