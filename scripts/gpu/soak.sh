#!/usr/bin/env bash
# Random problems over every operation, type, order, width and shape on the GPU of this machine, from several host threads, each on a
# stream of its own. The oracle and guard bytes decide. Leaves in OUT: soak.json (counts, for docs/reliability.md) and soak.log.
# A problem that failed is repeated by: SEED=... soak.sh OUT BIN with ONLY=its number.
# usage: scripts/gpu/soak.sh OUT [BIN [MINUTES [SEED]]]
# environment: MINUTES (2), SEED (1), MOST_KEYS (2^20 keys of a problem), THREADS (one a processor), GROUP (16 problems that share their
# kernels), ONLY (numbers of problems)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
MINUTES=${3:-${MINUTES:-2}} SEED=${4:-${SEED:-1}}
source "$(dirname "$0")/common.sh"
require_gpu
[[ -x $BIN/soak ]] || { echo "$0: there is no soak in $BIN: build its target" >&2; exit 2; }
step soak "$BIN/soak" --device 0 --minutes "$MINUTES" --seed "$SEED" --threads "${THREADS:-$(nproc)}" \
  --most-keys "${MOST_KEYS:-1048576}" --group "${GROUP:-16}" --out "$OUT/soak.json" ${ONLY:+--only "$ONLY"}
tail -n 1 "$OUT/soak.log"
finish
