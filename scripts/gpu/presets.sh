#!/usr/bin/env bash
# Measures the published systems (presets) on the GPU of this machine beside CUB, the host's sorts and bitune's own selection, and
# leaves in OUT: presets.json (what bench/results/<gpu>/presets.json records), presets.md, and logs.
# usage: scripts/gpu/presets.sh OUT [BIN]
# environment: SIZES (2^20..2^29), SMALL_SIZES (2^10..2^13, for what takes few keys), KEYS (u32), SAMPLES (7), BITUNE_DB (a tuning
# database, for bitune's own selection)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
cat "$OUT/devices.txt"
common=(--keys "${KEYS:-u32}" --samples "${SAMPLES:-7}" --out "$OUT/presets.json")

step presets-small "$BIN/bitune" bench presets "${common[@]}" --sizes "${SMALL_SIZES:-2^10..2^13}"
cat "$OUT/presets-small.log"
step presets "$BIN/bitune" bench presets "${common[@]}" --sizes "${SIZES:-2^20..2^29}" --markdown "$OUT/presets.md"
cat "$OUT/presets.log"
finish
