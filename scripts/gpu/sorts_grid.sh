#!/usr/bin/env bash
# Where are sorts slower than CUB's? A grid of key types x lengths, arrays and rows, untuned but for what is known, on the GPU of this machine.
# Leaves grid.json in OUT, and prints what is slower. Kernels are compiled first, on all processors.
# usage: scripts/gpu/sorts_grid.sh OUT [BIN]
# environment: OPERATIONS (sort_pairs,argsort), KEYS (all twelve), SIZES (of arrays; none: no arrays), ROW_SIZES (none), TOTAL (2^24 keys of
#   all rows), SAMPLES (5), LIMIT (seconds), PYTHON (python3)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
keys=${KEYS:-u8 i8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64}
sizes=${SIZES-1000,10000,100000,1000000,3000000,50000000}

# of_type NAME KEY ARGUMENTS...: all problems of keys of a type.
of_type() {
  local name=$1 key=$2 problems
  shift 2
  problems=(--operation "${OPERATIONS:-sort_pairs,argsort}" --keys "$key")
  [[ -z $sizes ]] || step "arrays-$name" limited "$BIN/bitune" bench "${problems[@]}" --sizes "$sizes" "$@"
  [[ -z ${ROW_SIZES:-} ]] || step "rows-$name" limited "$BIN/bitune" bench --suite rows "${problems[@]}" --sizes "$ROW_SIZES" --total "${TOTAL:-2^24}" "$@"
}

for key in $keys; do beside "compile-$key" of_type "once-$key" "$key" --samples 1 --against none >/dev/null; done
together
echo "compiled after $SECONDS s"
for key in $keys; do of_type "$key" "$key" --samples "${SAMPLES:-5}" --out "$OUT/grid.json"; done
"${PYTHON:-python3}" "$here/slower.py" "$OUT/grid.json"
finish
