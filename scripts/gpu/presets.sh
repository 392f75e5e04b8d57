#!/usr/bin/env bash
# Measures the published systems (presets) on the GPU of this machine beside CUB, the host's sorts and bitune's own selection, and
# leaves in OUT: presets.json (what bench/results/<gpu>/presets.json records), presets.md, plots where Matplotlib is, and logs.
# usage: scripts/gpu/presets.sh OUT [BIN]
# environment: SIZES (2^10..2^29), KEYS (u32), SAMPLES (7), BITUNE_DB (a tuning database, for bitune's own selection)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
step presets "$BIN/bitune" bench presets --keys "${KEYS:-u32}" --sizes "${SIZES:-2^10..2^29}" --samples "${SAMPLES:-7}" \
  --out "$OUT/presets.json" --markdown "$OUT/presets.md"
cat "$OUT/presets.log"
if "${BITUNE_PYTHON:-python3}" -c 'import matplotlib' 2>/dev/null; then
  step plots "${BITUNE_PYTHON:-python3}" "$(dirname "$0")/../plot_presets.py" "$OUT/presets.json" "$OUT"
else
  echo "no plots without Matplotlib: scripts/plot_presets.py OUT/presets.json FOLDER draws them elsewhere"
fi
finish
