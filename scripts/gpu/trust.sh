#!/usr/bin/env bash
# What others rely on, tried on a GPU: compute-sanitizer over every variant and operation; sorts in chains with kernels of others;
# contexts that the application makes, destroys and resets, forks, several GPUs; memory that is not there, at every allocation;
# random problems for as long as told; or all tests of tests/gpu. Nothing is timed, so all steps run beside each other. Leaves in OUT:
# a log of each part, and trust.json with the counts, which `scripts/report_reliability.py --add OUT/trust.json` takes.
# usage: scripts/gpu/trust.sh OUT [BIN]
# environment: STEPS (memcheck initcheck racecheck synccheck chains contexts memory soak; tests: chains, contexts, memory and all other tests),
# LIMIT (seconds for all of it, 220: what is not done by then is cut off and said to be), JOBS (processors), SHARDS (of the tests of a
# step, 2), what sanitizers.sh takes, and what soak.sh takes
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
LIMIT=${LIMIT:-220} SHARDS=${SHARDS:-2}
source "$(dirname "$0")/common.sh"
source "$here/sanitizers.sh"
require_gpu
STEPS=${STEPS:-memcheck initcheck racecheck synccheck chains contexts memory soak}
# The CUDA runtime, with which an application resets its GPU.
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(echo /usr/local/cuda*/lib64 | tr ' ' ':')

tools=()
for tool in memcheck initcheck racecheck synccheck; do
  if wants "$tool"; then tools+=("$tool"); fi
done

# The tests first: they take a processor each, and no more.
if wants chains; then test_gpu chains '*Neighbours*'; fi
if wants contexts; then test_gpu contexts 'GpuContexts*'; fi
if wants tests; then SHARDS=24 test_gpu tests '*'; fi
# A test of these takes up to a minute: a process each.
if wants memory; then SHARDS=27 test_gpu memory '*GpuOutOfMemory*'; fi
if wants soak; then beside soak limited "$here/soak.sh" "$OUT/soak" "$BIN"; fi
if ((${#tools[@]})); then sanitize "${tools[@]}"; fi
together
python3 "$here/../lib/trust_record.py" "$OUT" "$STEPS" || failed+=(trust_record)
finish
