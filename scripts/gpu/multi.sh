#!/usr/bin/env bash
# One array over all GPUs there are, beside the same array on one of them: that results are right, then times by size, keys and distribution,
# with the time of each step, the bandwidth of the exchange and how equal parts are; by a communicator of NCCL's as well, where there is one; and
# how many trials a second all GPUs tune at once, against one. What they find of merging is used from then on. All keys are made and verified on the
# GPUs. On one GPU two ranks share it: that shows that all works, and no speed. OUT/multi.json, multi-tune.json, multi-host.json with the times of a
# host array that does not fit the memory that the sort may take of one GPU, and multi-dask.json are records for bench/results/<gpu>/ (with more than
# two GPUs <gpu>-x4/, -x8/). Dask, and processes with a communicator of PyTorch's, are tried where Python has these, and bitune.
# usage: scripts/gpu/multi.sh OUT [BIN]
# environment: KEYS (u32,f32), SIZES (2^26,2^28,2^30,2^32), VALUES (0,4: bytes of them), LARGE (2^33; keys alone, once; empty: none), HOST (2^32;
# empty: none), HOST_MEMORY (4G), TUNE (12 seconds, on one GPU and on all; empty: none), DASK (2^25; empty: none), SAMPLES (7), LIMIT (seconds, of each
# step's end; LIMIT=150 LARGE= measures all but the largest array), BITUNE_NCCL (libnccl.so.2, if the loader finds none)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
count=$(gpu_count)
devices=$(seq -s, 0 $((count - 1)))
((count > 1)) || devices=0,0
nvidia-smi topo -m >"$OUT/topology.txt" 2>&1 || true
rm -f "$OUT"/multi*.jsonl

# bench NAME SAMPLES ARGUMENTS...: its lines are added to the record.
bench() {
  local name=$1 samples=$2
  shift 2
  step "$name" limited "$BIN/multi_bench" --devices "$devices" "$@" --samples "$samples"
  grep '^{' "$OUT/$name.log" >>"$OUT/multi.jsonl"
}

# tuned DEVICES DATABASE: a line of JSON with the trials a second of a short session in which every kernel is compiled anew.
tuned() {
  local name=tune-${1//,/-}
  step "$name" limited env XDG_CACHE_HOME="$OUT/$name-cache" "$BIN/bitune" tune --devices "$1" --db "$2" --no-warm-start --json \
    --keys u32,f32 --sizes 2^14,2^18,2^22 --budget "${TUNE:-12}s"
  python3 -c '
import json, os, sys
text = sys.stdin.read()
told, _ = json.JSONDecoder().raw_decode(text[text.index("{"):])
trials = sum(problem["evaluated"] for problem in told["problems"])
print(json.dumps({"gpus": len(sys.argv[1].split(",")), "host_cores": len(os.sched_getaffinity(0)), "seconds": told["seconds"], "trials": trials,
                  "trials_a_second": trials / told["seconds"], "merging": told["merging"], "verified": True}))
' "$1" <"$OUT/$name.log" >>"$OUT/multi-tune.jsonl"
  rm -rf "$OUT/$name-cache"
}

# has MODULE...: whether Python has them.
has() { python3 -c 'import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]' "$@" >/dev/null 2>&1; }

keys=${KEYS:-u32,f32} samples=${SAMPLES:-7}
step test limited "$BIN/test_gpu" --gtest_filter='MultiOnGpus.*'
if [[ -n ${TUNE-12} ]]; then
  tuned 0 "$OUT/tune-0.db"
  rm -f "$OUT"/tune-0.db*
  ((count == 1)) || tuned "$devices" "$BITUNE_DB"
fi
bench sizes "$samples" --keys "$keys" --value-bytes "${VALUES:-0,4}" --sizes "${SIZES:-2^26,2^28,2^30,2^32}" --distributions random,all_equal,zipf
bench ordered "$samples" --keys u32 --value-bytes 0 --sizes 2^28 --distributions sorted,reversed
((count == 1)) || bench nccl "$samples" --keys u32 --value-bytes 0 --sizes 2^28 --distributions random --nccl
if [[ -n ${HOST-2^32} ]]; then
  step host limited "$BIN/host_bench" --device 0 --sizes "${HOST-2^32}" --device-memory "${HOST_MEMORY:-4G}" --samples 3
  grep '^{' "$OUT/host.log" >"$OUT/multi-host.jsonl"
fi
[[ -z ${LARGE-2^33} ]] || bench large 1 --keys "$keys" --value-bytes 0 --sizes "${LARGE-2^33}" --distributions random,all_equal,zipf
if [[ -n ${DASK-2^25} ]] && has bitune dask.array distributed; then
  step dask limited python3 "$(dirname "$0")/dask_sorts.py" --keys "${DASK-2^25}" "$OUT/multi-dask.json"
fi
# PyTorch brings a library of NCCL's with it, which has made its communicator.
if ((count > 1)) && has bitune torch; then
  step processes limited env -u BITUNE_NCCL python3 "$(dirname "$0")/nccl_ranks.py" --keys 2^28 "$OUT/processes.json"
fi
for lines in "$OUT"/multi*.jsonl; do
  { echo '['; paste -sd, "$lines"; echo ']'; } >"${lines%l}"
done
finish
