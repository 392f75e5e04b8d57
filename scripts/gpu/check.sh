#!/usr/bin/env bash
# Correctness on a GPU: the tests labelled gpu, and compute-sanitizer (memcheck and racecheck), where it is installed, over a
# sample of configurations of each variant, which are verified on all distributions. Nothing is timed, so all run beside each other.
# racecheck reports hazards of `multiway` that are none: racecheck_groups.cu shows why. trust.sh does more, and takes longer.
# usage: scripts/gpu/check.sh OUT [BIN]
# environment: what sanitizers.sh takes, FILTER (of tests), SHARDS (of the tests, 4), JOBS (processors)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
source "$here/sanitizers.sh"
require_gpu

test_gpu test_gpu "${FILTER:-*}"
sanitize memcheck racecheck
together
grep -hE '^\[  (PASSED|FAILED|SKIPPED)' "$OUT"/test_gpu-*.log
sanitized memcheck racecheck
finish
