#!/usr/bin/env bash
# Correctness on a GPU: the tests labelled gpu, and compute-sanitizer (memcheck and racecheck), where it is installed, over a
# sample of configurations of each variant, which are verified on all distributions. Nothing is timed, so all run beside each other.
# racecheck reports hazards of `multiway` that are none: racecheck_groups.cu shows why.
# usage: scripts/gpu/check.sh OUT [BIN]
# environment: SAMPLE (configurations a variant and key type, 4), N (keys of an array, 6000, and of all rows together), FILTER (of
# tests), SHARDS (of the tests, 4), JOBS (processors)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu

shards=${SHARDS:-4}
for ((shard = 0; shard < shards; ++shard)); do
  beside "test_gpu-$shard" env GTEST_TOTAL_SHARDS="$shards" GTEST_SHARD_INDEX="$shard" "$BIN/test_gpu" --gtest_filter="${FILTER:-*}"
done

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
[[ -n $sanitizer ]] || echo "compute-sanitizer is not installed here: memcheck and racecheck are not run"
# memcheck reports calls of the driver that fail, too: none is meant to fail.
for tool in ${sanitizer:+memcheck racecheck}; do
  for variant in classic global shared warp multiway samplesort radix radix_pairs counting cluster packed_clusters rows packed_rows \
    rows_by_place cluster_by_place merge_by_place; do
    name=$tool-$variant
    shape=(--sizes "${N:-6000}") budget=$((2 * ${SAMPLE:-4}))
    [[ $variant == rows* || $variant == packed_* ]] && shape=(--sizes 100,1000 --total "${N:-6000}")
    [[ $variant == *_pairs || $variant == *_by_place ]] && shape+=(--operation sort_pairs,argsort) budget=$((2 * budget))
    beside "$name" env BITUNE_DB="$OUT/$name.db" "$sanitizer" --tool $tool --error-exitcode 9 --target-processes all \
      "$BIN/bitune" tune --keys u32,u16 "${shape[@]}" --variants "$variant" --budget "${budget}evals" --samples 1 \
      --finalists 0 --timeout 10m --no-resume --no-isolate
  done
done
together
grep -hE '^\[  (PASSED|FAILED|SKIPPED)' "$OUT"/test_gpu-*.log
for log in "$OUT"/memcheck-*.log "$OUT"/racecheck-*.log; do
  [[ -f $log ]] && echo "$(basename "$log" .log): $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|hazard' "$log" | tail -n 1)"
done
rm -f "$OUT"/memcheck-*.db* "$OUT"/racecheck-*.db*
finish
