#!/usr/bin/env bash
# Which launch of a sort takes the time: each launch's own, by ncu, on the GPU of this machine. A line of options of `bitune bench` for
# each problem comes from standard input (but --against, which is none here). Prints the launches in their order, and leaves OUT/launches-N.csv, which ncu wrote.
# ncu runs one launch after the other, each from a cold start: times are longer than where launches overlap, and gaps are not in them.
# usage: scripts/gpu/launches.sh OUT [BIN] <PROBLEMS
#   echo '--suite segments --keys u32 --lengths zipf --sizes 100 --total 2^26' | scripts/gpu/launches.sh "$RES" "$BIN"
# environment: LAUNCHES (120: of a problem, what measures it included)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_ncu

number=0
while read -r options; do
  [[ -n $options ]] || continue
  number=$((number + 1))
  # Compiled first, so that ncu has nothing to wait for.
  # shellcheck disable=SC2086  # a line is a list of options
  step "compile-$number" "$BIN/bitune" bench $options --samples 1 --against none </dev/null
  # shellcheck disable=SC2086
  step "launches-$number" "$ncu" --clock-control none --metrics gpu__time_duration.sum --csv --page raw --print-units base --log-file "$OUT/launches-$number.csv" \
    --launch-count "${LAUNCHES:-120}" --target-processes all "$BIN/bitune" bench $options --samples 1 --against none </dev/null
  echo "$options"
  python3 - "$OUT/launches-$number.csv" <<'PYTHON'
import csv, statistics, sys

MEASURING = ("hold_stream", "make_images", "compare", "part_keys")
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
launches = []
for row in csv.DictReader(lines):
    name = row["Kernel Name"].split("(")[0].split("<")[0].split("::")[-1]
    if row["ID"] and not name.startswith(MEASURING):
        launches.append((f"{name} {row['Grid Size']} {row['Block Size']}", float(row["gpu__time_duration.sum"].replace(",", "")) / 1000))
calls = []
for name, us in launches:
    if name == launches[0][0]:
        calls.append([])
    calls[-1].append((name, us))
whole = [call for call in calls if [name for name, _ in call] == [name for name, _ in calls[0]]]
medians = [(step[0][0], statistics.median(us for _, us in step)) for step in zip(*whole)]
for name, us in medians:
    print(f"{us:10.1f} us  {name}")
print(f"{sum(us for _, us in medians):10.1f} us in all; {len(whole)} calls")
PYTHON
done
finish
