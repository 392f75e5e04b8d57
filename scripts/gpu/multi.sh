#!/usr/bin/env bash
# One array over all GPUs there are, beside the same array on one of them: that results are right, then times by size, keys and distribution,
# with the bandwidth of the exchange and how equal parts are. On one GPU two ranks share it: that shows that all works, and no speed.
# A line of JSON for each case is in OUT/multi.jsonl.
# usage: scripts/gpu/multi.sh OUT [BIN]
# environment: SIZES (2^26..2^30:2), LARGE (2^32; keys alone, random; empty: none), KEYS (u32,f32), SAMPLES (7), LIMIT (seconds, of each step's end)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
count=$(gpu_count)
devices=$(seq -s, 0 $((count - 1)))
((count > 1)) || devices=0,0
nvidia-smi topo -m >"$OUT/topology.txt" 2>&1 || true

# bench NAME ARGUMENTS...: its lines are added to the record.
bench() {
  local name=$1
  shift
  step "$name" limited "$BIN/multi_bench" --devices "$devices" --samples "${SAMPLES:-7}" "$@"
  grep '^{' "$OUT/$name.log" >>"$OUT/multi.jsonl"
}

step test "$BIN/test_gpu" --gtest_filter='MultiOnGpus.*'
rm -f "$OUT/multi.jsonl"
bench verified --keys "${KEYS:-u32,f32}" --sizes 2^20,2^24
bench sizes --keys "${KEYS:-u32,f32}" --sizes "${SIZES:-2^26..2^30:2}"
[[ -z ${LARGE-2^32} ]] || bench large --keys u32 --value-bytes 0 --sizes "${LARGE-2^32}" --distributions random
finish
