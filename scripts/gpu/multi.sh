#!/usr/bin/env bash
# One array over all GPUs there are, beside the same array on one of them: that results are right, then times by size, keys and distribution,
# with the time of each step, the bandwidth of the exchange and how equal parts are. All keys are made and verified on the GPUs. On one GPU two
# ranks share it: that shows that all works, and no speed. The records are OUT/multi.json, for
# bench/results/<gpu>/. OUT/host.log has the times of a host array that does not fit the memory that the sort may take of one GPU.
# usage: scripts/gpu/multi.sh OUT [BIN]
# environment: SIZES (2^26,2^28,2^30), LARGE (2^33; u32 keys alone, random, twice; empty: none), HOST (2^32; empty: none), HOST_MEMORY (4G), SAMPLES (7),
# LIMIT (seconds, of each step's end; LIMIT=150 LARGE= measures all but the largest array)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
count=$(gpu_count)
devices=$(seq -s, 0 $((count - 1)))
((count > 1)) || devices=0,0
nvidia-smi topo -m >"$OUT/topology.txt" 2>&1 || true

# bench NAME SAMPLES ARGUMENTS...: its lines are added to the record.
bench() {
  local name=$1 samples=$2
  shift 2
  step "$name" limited "$BIN/multi_bench" --devices "$devices" "$@" --samples "$samples"
  grep '^{' "$OUT/$name.log" >>"$OUT/multi.jsonl"
}

step test "$BIN/test_gpu" --gtest_filter='MultiOnGpus.*'
rm -f "$OUT/multi.jsonl"
samples=${SAMPLES:-7}
keys() { bench "$1" "$samples" --keys u32 --value-bytes 0 "${@:2}"; }
keys sizes --sizes "${SIZES:-2^26,2^28,2^30}" --distributions random
keys distributions --sizes 2^28 --distributions all_equal,sorted,reversed,zipf
bench pairs "$samples" --keys f32 --value-bytes 4 --sizes 2^28 --distributions random
[[ -z ${LARGE-2^33} ]] || bench large 1 --keys u32 --value-bytes 0 --sizes "${LARGE-2^33}" --distributions random
[[ -z ${HOST-2^32} ]] || step host limited "$BIN/host_bench" --device 0 --sizes "${HOST-2^32}" --device-memory "${HOST_MEMORY:-4G}" --samples 3
{ echo '['; paste -sd, "$OUT/multi.jsonl"; echo ']'; } >"$OUT/multi.json"
finish
