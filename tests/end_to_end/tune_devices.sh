#!/usr/bin/env bash
# Several devices at once: the problems shared out, one database; and how noisy it was.
source "$(dirname "$0")/common.bash"

expect 0 "$BITUNE" tune --devices emulated,emulated --keys u32 --sizes 40,50,60 --variants rows --budget 6 --finalists 2 --json
holds '[p["problem"]["n"] for p in d["problems"]] == [40, 50, 60]'
holds 'len(d["devices"]) == 2 and sum(s["problems"] for s in d["devices"]) == 3'
holds 'all(s["error"] is None for s in d["devices"])'
expect 0 "$BITUNE" db check
expect 0 "$BITUNE" db list --json
holds '[p["trials"] >= 2 for p in d["problems"]] == [True] * 3'
expect 0 "$BITUNE" db trials --noise --json
holds 'len(d["noise"]) == 3 and all(g["variant"] == "rows" and g["trials"] >= 2 for g in d["noise"])'
expect 0 env COLUMNS=100 "$BITUNE" db trials --noise
says out "interval" "rows"

refuses 2 "not both" "$BITUNE" tune --device emulated --devices emulated,emulated
refuses 2 "nonsense" "$BITUNE" tune --devices emulated,nonsense
