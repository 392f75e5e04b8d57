#!/usr/bin/env bash
# `bitune bench start`: fresh processes sort from a warm kernel cache, with what was tuned, and leave records; `bench --graph` where
# there are no CUDA graphs.
source "$(dirname "$0")/common.bash"

tune --keys u32 --sizes 1000 --budget 2 --seed 1 >out 2>err || fail "tuning"
expect 0 "$BITUNE" bench start --device emulated --keys u32,f32 --sizes 300,1000 --samples 2 --json --out results/some-gpu/single.json
holds 'd["note"] == "" and not d["interrupted"] and len(d["records"]) == 4'
holds 'all(r["suite"] == "start" and r["verified"] and r["samples"] == 2 and r["compiled_processes"] == 0 for r in d["records"])'
holds 'all(r["bitune_us"] == r["first_us"] > r["second_us"] > 0 for r in d["records"])'
holds 'all(r["cuda_start_us"] == 0 for r in d["records"])'  # the emulated device has no CUDA to start
holds '[r["match"] for r in d["records"] if (r["key_type"], r["n"]) == ("u32", 1000)] == ["exact"]'
[ -n "$(ls "$XDG_CACHE_HOME/bitune")" ] || fail "the kernels were not left in the kernel cache"

expect 0 "$BITUNE" bench start --device emulated --sizes 1000 --samples 1
says out 'second' 'beyond' 'from cache' 'exact'
expect 0 "$BITUNE" bench start --help
says out 'Examples:' 'bitune bench start --device emulated'
expect 0 "$BITUNE" bench --help
says out '--graph' 'start'
! grep -q start-process out || fail "the help shows what is not for people"

# Records stand in one file with comparisons of the same array, and in the report beside them.
expect 0 "$BITUNE" bench --device emulated --against none --keys u32 --sizes 1000 --samples 1 --out results/some-gpu/single.json
cp results/some-gpu/single.json out
holds 'sorted((r["suite"], r["key_type"], r["n"]) for r in d) == [("single", "u32", 1000), ("start", "f32", 300), ("start", "f32", 1000),
  ("start", "u32", 300), ("start", "u32", 1000)]'
cp "$here/../../docs/performance-details.md" page.md
expect 0 "$python" "$here/../../scripts/report_performance.py" --page page.md --results results
says page.md '### The first sort of a process' '| u32 | 1000 |'

refuses 2 'use 2 or more' "$BITUNE" bench start --device emulated --sizes 1
refuses 1 'no C++ compiler' env BITUNE_CXX=/nowhere/g++ "$BITUNE" bench start --device emulated --sizes 100
refuses 1 'has no CUDA graphs to measure' "$BITUNE" bench --graph --device emulated --sizes 100
BITUNE_CACHE=/proc/nowhere expect 1 "$BITUNE" bench start --device emulated --sizes 100 --samples 1
says err 'compiled the kernels' "'/proc/nowhere' can be written"
echo '{"no": "list"}' >broken.json
refuses 1 'no list of bench results' "$BITUNE" bench start --device emulated --sizes 100 --samples 1 --out broken.json
