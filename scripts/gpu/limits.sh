#!/usr/bin/env bash
# What a launch is held back by, by ncu, on the GPU of this machine: how busy each unit is, and what its warps wait for. A line of options of
# `bitune bench` for each problem comes from standard input (but --against, which is none here). Of each problem the first launch whose name
# matches KERNEL is looked at. Which launches there are, launches.sh tells. Leaves OUT/limits-N.csv, which ncu wrote.
# usage: KERNEL=short_segments scripts/gpu/limits.sh OUT [BIN] <PROBLEMS
#   echo '--suite segments --keys u32 --lengths uniform --sizes 100 --total 2^26' | KERNEL=short_segments scripts/gpu/limits.sh "$RES" "$BIN"
# environment: KERNEL (a regular expression), SKIP (0: matching launches before the one that is looked at)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_ncu
[[ -n ${KERNEL:-} ]] || { echo "$0: KERNEL=NAME says which launch is looked at" >&2; exit 2; }

number=0
while read -r options; do
  [[ -n $options ]] || continue
  number=$((number + 1))
  # Compiled first, so that ncu has nothing to wait for.
  # shellcheck disable=SC2086  # a line is a list of options
  step "compile-$number" "$BIN/bitune" bench $options --samples 1 --against none </dev/null
  # shellcheck disable=SC2086
  step "limits-$number" "$ncu" --clock-control none -k "regex:$KERNEL" --launch-skip "${SKIP:-0}" --launch-count 1 --csv --page raw --print-units base \
    --log-file "$OUT/limits-$number.csv" --section SpeedOfLight --section WarpStateStats --section ComputeWorkloadAnalysis \
    --section MemoryWorkloadAnalysis --section Occupancy --section InstructionStats "$BIN/bitune" bench $options --samples 1 --against none </dev/null
  echo "$options"
  python3 - "$OUT/limits-$number.csv" <<'PYTHON'
import csv, sys

UNITS = {"issue slots": "smsp__issue_active.avg.pct_of_peak_sustained_active", "ALU": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
         "FMA": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "load and store": "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
         "L1 cache": "l1tex__throughput.avg.pct_of_peak_sustained_active", "L2 cache": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
         "memory": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "warps": "sm__warps_active.avg.pct_of_peak_sustained_active"}
STALLED, RATIO = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
rows = list(csv.DictReader(line for line in open(sys.argv[1]) if line.startswith('"')))
for row in rows:
    if not row["ID"]:
        continue  # units
    numbers = {name: float(value.replace(",", "")) for name, value in row.items() if value and value.replace(",", "").replace(".", "", 1).isdigit()}
    print(f"{numbers['gpu__time_duration.sum'] / 1000:.1f} us, {numbers.get('smsp__inst_executed.sum', 0):.0f} instructions of warps, {numbers['launch__registers_per_thread']:.0f} registers: {row['Kernel Name'][:100]}")
    for unit, metric in UNITS.items():
        if metric in numbers:
            print(f"{numbers[metric]:10.1f} %  {unit}")
    waits = {name[len(STALLED):-len(RATIO)]: value for name, value in numbers.items() if name.startswith(STALLED) and name.endswith(RATIO)}
    for name, cycles in sorted(waits.items(), key=lambda wait: -wait[1]):
        if cycles >= 0.05:
            print(f"{cycles:10.2f} cycles a warp between two of its instructions: {name.replace('_', ' ')}")
PYTHON
done
finish
