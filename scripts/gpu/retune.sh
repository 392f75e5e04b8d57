#!/usr/bin/env bash
# After a change to the kernels of some variants: measures again, on the GPU of this machine, what is shipped of them, and a little more.
# Leaves in OUT: retuned.db (the new trials), tunings.db (what data/tunings.db ships, with these in the place of the old ones), and logs.
# BIN's own shipped tunings are replaced, too, so that the scripts which make records sort by them.
# usage: scripts/gpu/retune.sh OUT BIN VARIANT...     then, for example: STEPS=bench scripts/gpu/segments.sh OUT BIN
# environment: DEVICE (part of the name of the GPU whose tunings these are: all), EVALS (3: evaluations of each problem; the default and
# what is shipped come first), FINALISTS (2), JOBS (processors: so many compile at once)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
shift $(($# < 2 ? $# : 2))
(($# > 0)) || { echo "$0: name the variants whose kernels changed" >&2; exit 2; }
shipped=$BIN/../share/bitune/tunings.db
mapfile -t problems < <("$here/shipped_problems.py" --device "${DEVICE:-}" "$shipped" "$@")
((${#problems[@]} > 0)) || { echo "$0: nothing is shipped of $*" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tune DATABASE OPTIONS LINE: a line of shipped_problems.py, as the shell reads it.
tune() {
  local -a options
  eval "options=($3)"
  # shellcheck disable=SC2086  # options are words
  BITUNE_DB=$1 "$BIN/bitune" tune --quiet --no-incumbents --no-warm-start --budget "${EVALS:-3}evals" $2 "${options[@]}"
}

# All compile at once, and leave their kernels in the cache. Then each is measured alone.
for i in "${!problems[@]}"; do beside "compile-$i" tune "$scratch/$i.db" "--finalists 0 --samples 7" "${problems[i]}"; done
together
for i in "${!problems[@]}"; do step "tune-$i" tune "$OUT/retuned.db" "--finalists ${FINALISTS:-2}" "${problems[i]}"; done
cp "$shipped" "$scratch/all.db"
"$here/shipped_problems.py" --forget "$scratch/all.db" "$@"
step merge "$BIN/bitune" db merge "$OUT/retuned.db" --db "$scratch/all.db"
rm -f "$OUT/tunings.db"
step ship "$BIN/bitune" db ship "$OUT/tunings.db" --db "$scratch/all.db"
cp "$OUT/tunings.db" "$shipped"
finish
