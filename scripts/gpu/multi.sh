#!/usr/bin/env bash
# One array over all GPUs there are, beside the same array on one of them: that results are right, then times by size, keys and distribution,
# with the time of each step, the bandwidth of the exchange and how equal parts are; by a communicator of NCCL's as well, where there is one; and
# how many trials a second all GPUs tune at once, against one. All keys are made and verified on the GPUs. On one GPU two ranks share it: that shows
# that all works, and no speed. The records are OUT/multi.json, for bench/results/<gpu>/ (with several kinds of machines <gpu>-x4/, -x8/), and
# OUT/tune.json. OUT/host.log has the times of a host array that does not fit the memory that the sort may take of one GPU.
# usage: scripts/gpu/multi.sh OUT [BIN]
# environment: KEYS (u32,f32), SIZES (2^26,2^28,2^30), LARGE (2^33; u32 keys alone, random, twice; empty: none), HOST (2^32; empty: none),
# HOST_MEMORY (4G), TUNE (10 seconds, on one GPU and on all; empty: none), SAMPLES (7),
# LIMIT (seconds, of each step's end; LIMIT=150 LARGE= measures all but the largest array), BITUNE_NCCL (libnccl.so.2, if the loader finds none)
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
keys() { bench "$1" "$samples" --value-bytes 0 "${@:2}"; }
keys sizes --keys "${KEYS:-u32,f32}" --sizes "${SIZES:-2^26,2^28,2^30}" --distributions random
keys distributions --keys u32 --sizes 2^28 --distributions all_equal,sorted,reversed,zipf
bench pairs "$samples" --keys "${KEYS:-u32,f32}" --value-bytes 4 --sizes 2^28 --distributions random
((count == 1)) || keys nccl --keys u32 --sizes 2^28 --distributions random --nccl
[[ -z ${LARGE-2^33} ]] || bench large 1 --keys u32 --value-bytes 0 --sizes "${LARGE-2^33}" --distributions random
[[ -z ${HOST-2^32} ]] || step host limited "$BIN/host_bench" --device 0 --sizes "${HOST-2^32}" --device-memory "${HOST_MEMORY:-4G}" --samples 3

# tuned DEVICES: a line of JSON with the trials a second of a short session in which every kernel is compiled anew.
tuned() {
  local name=tune-${1//,/-}
  step "$name" limited env XDG_CACHE_HOME="$OUT/$name-cache" "$BIN/bitune" tune --devices "$1" --db "$OUT/$name.db" --no-warm-start --json \
    --keys u32,f32 --sizes 2^16..2^24 --budget "${TUNE:-10}s"
  python3 -c '
import json, sys
text = sys.stdin.read()
told, _ = json.JSONDecoder().raw_decode(text[text.index("{"):])
trials = sum(problem["evaluated"] for problem in told["problems"])
print(json.dumps({"devices": sys.argv[1], "seconds": told["seconds"], "trials": trials, "trials_a_second": trials / told["seconds"]}))
' "$1" <"$OUT/$name.log" >>"$OUT/tune.json"
  rm -rf "$OUT/$name-cache" "$OUT/$name.db"
}
rm -f "$OUT/tune.json"
if [[ -n ${TUNE-10} ]]; then
  tuned 0
  ((count == 1)) || tuned "$devices"
fi
{ echo '['; paste -sd, "$OUT/multi.jsonl"; echo ']'; } >"$OUT/multi.json"
finish
