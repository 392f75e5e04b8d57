#!/usr/bin/env bash
# Rows through the command: matrices against NumPy, tuned by a total, benched, and shown.
source "$(dirname "$0")/common.bash"

"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: $python has no numpy"; exit 77; }
"$python" "$here/rows.py" "$BITUNE"

expect 0 "$BITUNE" tune --device emulated --keys u32 --sizes 16,48 --total 200 --variants rows --budget 4 --json
holds '[(t["problem"]["n"], t["problem"]["rows"]) for t in d["problems"]] == [(16, 12), (48, 4)]'
expect 0 "$BITUNE" bench --device emulated --against none --suite rows --keys u32 --sizes 16,48 --total 200 --samples 1 --json
holds '[(r["n"], r["rows"], r["match"], r["verified"]) for r in d["records"]] == [(16, 12, "exact", True), (48, 4, "exact", True)]'

refuses 2 "no row of 48 keys" "$BITUNE" tune --device emulated --keys u32 --sizes 16,48 --total 20
refuses 2 "--rows or --total" "$BITUNE" tune --device emulated --rows 2 --total 20
refuses 2 "--suite rows" "$BITUNE" bench --device emulated --rows 2
refuses 2 "unknown suite 'columns'" "$BITUNE" bench --device emulated --suite columns
