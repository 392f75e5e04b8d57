#!/usr/bin/env bash
# Top-k on the GPU of this machine: tunes it, compares with CUB (where the peer was built with a CUB that has it) and torch.topk, and
# leaves in OUT: tuning.db, tunings.db (the best: what data/tunings.db ships), topk.json (what bench/results/<gpu>/topk.json records), and logs. One part after the other; each takes at most 150 seconds and leaves all that
# is known by then, so that a call may do one: scripts/gpu/topk.sh OUT BIN small. Each adds to tuning.db and topk.json.
# usage: scripts/gpu/topk.sh OUT [BIN [PART...]]
# parts: small (arrays of f32, 2^15 to 2^20), arrays (2^24 and 2^28), short (many rows of 128 to 4096), rows (of 16384 and 32768), long (of 131072, k 50), large (the
#   same, k 2048), clusters (arrays and a few rows, k 512 to 4096), quarter (k a quarter of arrays and rows of 1024 to 2^20), half (bf16 rows), inputs (what is not random; benched only), grid-1 to
#   grid-4096 (so many rows of 64 to 2^20 keys, k 1 to 2048; benched only, without tuning)
# environment: STEPS (tune bench torch), BUDGET (75s of tuning a part, shared by its problems; what is selected today is measured first),
# STRATEGY (bayesian), SAMPLES (15), BITUNE_DB (an existing database goes on where it stopped), PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
shift $(($# < 2 ? $# : 2))
parts=${*:-small arrays short rows long large clusters quarter half inputs grid-1 grid-16 grid-256 grid-4096}
STEPS=${STEPS:-tune bench torch}
budget=${BUDGET:-75s}
against=none
[[ ! -e $BIN/bitune_peer_cub.so ]] || against=cub

# problems_of PART: a line for each command: keys, k, sizes, rows.
problems_of() {
  case $1 in
  small)
    echo "f32 64 2^15 1"
    echo "f32 100 2^16,2^20 1"
    echo "f32 50 2^17 1"
    echo "f32 10000 2^20 1"
    ;;
  arrays)
    echo "f32 100 2^24,2^28 1"
    echo "f32 100000 2^24,2^28 1"
    ;;
  short)
    echo "f32 8 128 65536"
    echo "f32 8 256 16384"
    echo "f32 32 1024 65536"
    echo "f32 64 4096 16384"
    ;;
  rows)
    for rows in 64 1024 4096; do echo "f32 64 32768 $rows"; done
    echo "f32 64 16384 4096"
    echo "f32 8 16384 1024"
    ;;
  long) for rows in 64 256 4096; do echo "f32 50 131072 $rows"; done ;;
  large) for rows in 64 256 4096; do echo "f32 2048 131072 $rows"; done ;;
  clusters)
    echo "f32 512,2048,4096 131072 1"
    echo "f32 1024 2^15,2^16 1"
    echo "f32 2048 2^18,2^19 1"
    echo "f32 2048 2^18 4"
    echo "f32 2048 131072 16"
    echo "f32 1024 2^15 64"
    ;;
  quarter)
    echo "f32 1024,2048 4096 4096"
    echo "f32 256 1024 16384"
    echo "f32 4096 16384 1024"
    for rows in 1 256; do echo "f32 32768 131072 $rows"; done
    echo "f32 262144 2^20 1"
    ;;
  half)
    echo "bf16 64 4096 16384"
    echo "bf16 50 131072 256"
    ;;
  inputs)
    echo "f32 100 2^16,2^20,2^24 1"
    echo "f32 2048 131072 1"
    echo "f32 50 131072 256"
    echo "f32 64 32768 4096"
    echo "f32 1024 4096 4096"
    ;;
  grid-1 | grid-16 | grid-256) echo "f32 1,64,2048 2^6,2^9,2^12,2^15,2^18,2^20 ${1#grid-}" ;;
  grid-4096) echo "f32 1,64,2048 2^6,2^9,2^12,2^15 4096" ;;
  *) echo "$0: there is no part '$1'; there are small arrays short rows long large clusters quarter half inputs grid-1 grid-16 grid-256 grid-4096" >&2 && return 1 ;;
  esac
}

tune_and_bench() {
  local part=$1 number=$2 count=$3 keys k sizes rows distributions=random options suite
  read -r keys k sizes rows <<<"$4"
  options=(--operation top_k --order descending --keys "$keys" --k "$k" --sizes "$sizes")
  suite=(--suite rows --rows "$rows")
  ((rows == 1)) && suite=()
  if wants tune && [[ $part != inputs && $part != grid* ]]; then
    step "tune-$part-$number" "$BIN/bitune" tune --budget "$(($(seconds "$budget") / count))s" --strategy "${STRATEGY:-bayesian}" \
      "${options[@]}" --rows "$rows"
  fi
  if wants bench; then
    [[ $part == inputs ]] && distributions=random,sorted,reversed,all_equal,few_distinct,sawtooth,some_nan,near_one,normal
    step "bench-$part-$number" "$BIN/bitune" bench --against "$against" --samples "${SAMPLES:-15}" --out "$OUT/topk.json" \
      --distributions "$distributions" "${options[@]}" "${suite[@]}"
    cat "$OUT/bench-$part-$number.log"
  fi
}

tune_and_bench_ended() {
  wants torch || return 0
  step "torch-$1" "${PYTHON:-python3}" "$here/torch_sorts.py" --missing "$OUT/topk.json"
  cat "$OUT/torch-$1.log"
}

# shellcheck disable=SC2086  # parts are words
parts_in_turn problems_of tune_and_bench $parts
finish
