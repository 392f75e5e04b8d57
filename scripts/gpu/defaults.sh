#!/usr/bin/env bash
# Which variant's default is the fastest, where nobody has tuned? runtime/untuned_policy.cpp says so, and is made from this. Kernels are compiled
# first, on all processors; then the default of each variant is measured, one problem after the other. Leaves tuning.db in OUT, and prints the
# variants of each problem by their times.
# usage: scripts/gpu/defaults.sh OUT [BIN] <PROBLEMS   (for each a line of options of `bitune tune`, as: --operation top_k --order descending
#   --keys f32 --k 1024 --sizes 4096 --rows 4096; empty lines and lines that begin with # are none)
# environment: VARIANTS (all), LIMIT (seconds), PYTHON (python3), DEVICE (emulated: to try this without a GPU)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
[[ -n ${DEVICE:-} ]] || require_gpu
mapfile -t problems < <(grep -v '^ *\(#\|$\)')
((${#problems[@]})) || { echo "$0: standard input names no problem" >&2; exit 2; }

# defaults_of DATABASE NUMBER: measures the defaults of a problem. There are as many evaluations as variants that can: with more, what is no
# default would be tried, too.
defaults_of() {
  local options=(--db "$1" ${DEVICE:+--device "$DEVICE"} ${VARIANTS:+--variants "$VARIANTS"}) variants
  # shellcheck disable=SC2206  # a line is a list of options
  options+=(${problems[$2]})
  variants=$("$BIN/bitune" tune --list "${options[@]}" </dev/null 2>/dev/null | wc -l)
  limited "$BIN/bitune" tune --no-warm-start --no-incumbents --finalists 0 --budget "${variants}evals" "${options[@]}" </dev/null
}

compiled=$(mktemp -d)
trap 'rm -rf "$compiled"' EXIT
for number in "${!problems[@]}"; do beside "compile-$number" defaults_of "$compiled/$number.db" "$number"; done
together
echo "compiled after $SECONDS s"
for number in "${!problems[@]}"; do step "measure-$number" defaults_of "$BITUNE_DB" "$number"; done
"${PYTHON:-python3}" - "$BITUNE_DB" <<'PYTHON'
import itertools, sqlite3, sys

found = sqlite3.connect(sys.argv[1]).execute("""
SELECT p.operation || ' ' || p.key_type || ' ' || p.key_order || ' n=' || p.n || ' rows=' || p.rows || CASE WHEN p.k > 0 THEN ' k=' || p.k ELSE '' END
    || CASE WHEN p.value_bytes > 0 THEN ' values of ' || p.value_bytes ELSE '' END AS problem, c.variant, min(t.median_us) AS us
FROM trials t JOIN configurations c ON c.id = t.configuration_id JOIN series s ON s.id = t.series_id JOIN problems p ON p.id = s.problem_id
WHERE t.status = 'ok' GROUP BY p.id, c.variant ORDER BY p.id, us""")
for problem, variants in itertools.groupby(found, lambda row: row[0]):
    print(f"{problem}:", ", ".join(f"{variant} {us:.1f}" for _, variant, us in variants))
PYTHON
finish
