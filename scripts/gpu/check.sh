#!/usr/bin/env bash
# Correctness on a GPU: the tests labelled gpu, then compute-sanitizer (memcheck and racecheck), where it is installed, over a
# sample of configurations of each variant, which are verified on all distributions.
# usage: scripts/gpu/check.sh OUT [BIN]; environment: SAMPLE (configurations a variant, 6), N (keys, 20000), FILTER (of tests)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
cat "$OUT/devices.txt"

step test_gpu "$BIN/test_gpu" --gtest_filter="${FILTER:-*}" --gtest_output="xml:$OUT/test_gpu.xml"
grep -E '^\[  (PASSED|FAILED|SKIPPED)' "$OUT/test_gpu.log" | tail -n 20

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
if [[ -z $sanitizer ]]; then
  echo "compute-sanitizer is not installed here: memcheck and racecheck were not run"
  finish
  exit
fi
# A kernel's parameters are counted until the driver says that there is no further one; memcheck would report that as an error.
for tool in "memcheck --report-api-errors no" racecheck; do
  for variant in classic global shared warp multiway cluster rows row_pairs; do
    step "${tool%% *}-$variant" env BITUNE_DB="$OUT/sanitizer.db" "$sanitizer" --tool $tool --error-exitcode 9 --target-processes all \
      "$BIN/bitune" tune --keys u32,u16 --sizes "${N:-20000}" --variants "$variant" --budget $((2 * ${SAMPLE:-6})) --samples 1 \
      --finalists 0 --timeout 10m --no-resume --no-isolate
    grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|hazard' "$OUT/${tool%% *}-$variant.log" | tail -n 1
  done
done
rm -f "$OUT"/sanitizer.db*
finish
