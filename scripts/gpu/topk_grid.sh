#!/usr/bin/env bash
# Where is top-k slower than CUB's or torch's? A grid of rows x lengths x k, untuned but for what is known, on the GPU of this machine. Leaves
# grid.json in OUT, and prints what is slower. Kernels are compiled first, on all processors.
# usage: scripts/gpu/topk_grid.sh OUT [BIN]
# environment: ROWS, LENGTHS, KS (besides them a quarter of the length), MOST (2^27: keys of a problem), KEYS (f32), SAMPLES (5), LIMIT (seconds),
#   PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
most=$((${MOST:-2**27}))

# bench_length NAME LENGTH ARGUMENTS...: all problems of rows of that length.
bench_length() {
  local name=$1 length=$2 rows=() count
  shift 2
  for count in ${ROWS:-1 4 16 64 256 1024 4096 65536}; do ((count * length <= most)) && rows+=("$count"); done
  local IFS=,
  step "$name" limited "$BIN/bitune" bench --suite rows --operation top_k --order descending --keys "${KEYS:-f32}" --sizes "$length" --rows "${rows[*]}" \
    --k "${KS:-1,8,64,512,2048},$((length / 4))" "$@"
}

lengths=${LENGTHS:-64 512 4096 32768 262144 1048576}
for length in $lengths; do
  for count in ${ROWS:-1 4 16 64 256 1024 4096 65536}; do
    ((count * length > most)) || ROWS=$count beside "compile-$length-$count" bench_length "of-$length-$count" "$length" --samples 1 --against none >/dev/null
  done
done
together
echo "compiled after $SECONDS s"
for length in $lengths; do bench_length "bench-$length" "$length" --samples "${SAMPLES:-5}" --out "$OUT/grid.json"; done
step torch limited "${PYTHON:-python3}" "$here/torch_sorts.py" --missing --samples "${SAMPLES:-5}" --budget-ms 20 "$OUT/grid.json"
"${PYTHON:-python3}" "$here/slower.py" "$OUT/grid.json"
finish
