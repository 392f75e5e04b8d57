#!/usr/bin/env bash
# bitune tune --simulate replays what is on record, stores nothing, and docs/tuning.md says what was compared.
source "$(dirname "$0")/common.bash"
root=$(cd "$here/../.." && pwd)
recorded="$root/tests/data/recorded/nvidia-h200"

expect 0 "$BITUNE" tune --simulate "$recorded/warp_u32_1024.json.gz,$recorded/shared_u32_1024.json.gz" --strategy greedy --seed 3 --seeds 2 \
  --budget 1000s,30evals --json
"$python" - out <<'PYTHON'
import json
import sys

document = json.load(open(sys.argv[1]))
assert document["simulated"] is True
[space] = document["spaces"]
assert space["problem"]["n"] == 1024 and space["configurations"] == 563 and space["strategy"] == "greedy"
first, second = space["runs"]
assert first["evaluated"] == second["evaluated"] == 30
assert first["best"]["configuration"].startswith("warp(")
assert first != second and first["virtual_seconds"] > 1
assert first["best"]["median_us"] >= space["recorded_best_us"]
PYTHON

expect 0 "$BITUNE" tune --simulate "$recorded/warp_u32_1024.json.gz" --strategy all --budget none
says out bayesian exhaustive halving "nothing is stored"
[ ! -e "$database" ] || fail "a simulation made a database"

refuses 1 "none.json" "$BITUNE" tune --simulate none.json
echo '{"results": ' >broken.json
refuses 1 "broken.json" "$BITUNE" tune --simulate broken.json
refuses 2 "no-such-strategy" "$BITUNE" tune --simulate "$recorded/warp_u32_1024.json.gz" --strategy no-such-strategy
refuses 2 "not a budget" "$BITUNE" tune --simulate "$recorded/warp_u32_1024.json.gz" --budget 5x

# The comparison itself, with Kernel Tuner where it is installed.
tools=bitune
"$python" -c 'import kernel_tuner' 2>err && tools=bitune,kernel_tuner
cp "$root/docs/tuning.md" page.md
expect 0 "$python" "$root/scripts/compare_strategies.py" --bitune "$BITUNE" --tools "$tools" --seeds 2 --most 40 \
  --strategies random_sample,genetic_algorithm --results results.json --page page.md "$recorded"/{warp,global}_u32_4194304.json.gz
says page.md '| strategy | of | seeds | u32 2^22 (261) |' '| `bayesian` | bitune |' '| `random` | bitune |'
[ "$tools" = bitune ] || says page.md '| `genetic_algorithm` | Kernel Tuner |'

python3 "$root/scripts/compare_strategies.py" --check
cp "$root/docs/tuning.md" page.md
sed -i 's/^| `random` .*/| changed |/' page.md
if python3 "$root/scripts/compare_strategies.py" --check --page page.md 2>err; then
  fail "a page that says something else was taken for the report of these results"
fi
says err "run scripts/compare_strategies.py --report"
