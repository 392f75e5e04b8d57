#!/usr/bin/env bash
# `bitune bench presets`: every preset runs by name, is verified, and leaves records, tables and plots.
source "$(dirname "$0")/common.bash"

expect 0 "$BITUNE" bench presets --list
says out 'v0-mirror: ' 'At most 8192 keys' 'McCarville'
says out 'classic(block_size_x=1024' 'global(block_fusion=0'

expect 0 "$BITUNE" bench presets --device emulated --against none --sizes 1000,10000 --samples 1 \
  --out presets.json --markdown presets.md --json
holds 'len(d["records"]) == 21'  # eleven at 1000 keys; at 10000 all but local
holds 'all(r["verified"] for r in d["records"])'
holds '"local" in d["note"] and "8192" in d["note"]'
holds 'sorted(r["preset"] for r in d["records"] if r["n"] == 10000) == sorted(["v0", "v0-half", "v0-mirror", "v1", "v2", "v3",
  "hybrid-16k", "nd-128", "nd-256", "bitune"])'
holds 'all(r["total_us"] > 0 and r["qsort_us"] > 0 and r["std_sort_us"] > 0 and r["peer_us"] is None for r in d["records"])'
holds '[list(r["kernels_us"]) for r in d["records"] if r["preset"] == "v2"] == [["shared_steps"], ["shared_steps", "element_step"]]'
holds '[r["launches"] for r in d["records"] if r["preset"] == "v0"] == [55, 105]'
says presets.md '### u32, n = 1000' '| v0-mirror |'

# Records of the same array take the place of older ones.
expect 0 "$BITUNE" bench presets --device emulated --against none --keys u32,i32 --sizes 1000 --samples 1 --presets v3 --out presets.json
cp presets.json out
holds 'len(d) == 22 and [r["key_type"] for r in d[:1]] == ["i32"]'

# The report: tables of totals and parts; results that are not verified are not published.
report=$here/../../scripts/report_performance.py
mkdir -p results/some-gpu
cp presets.json results/some-gpu/
cp "$here/../../docs/performance-details.md" page.md
expect 0 "$python" "$report" --page page.md --results results
expect 0 "$python" "$report" --page page.md --results results --check
says page.md '### u32: totals' '| hybrid-16k |' 'n = 10000, part by part' '### i32: kernels alone'
sed -i '0,/"verified":true/s//"verified":false/' results/some-gpu/presets.json
expect 1 "$python" "$report" --page page.md --results results
says err 'not verified'

refuses 2 "there is no preset 'v9'" "$BITUNE" bench presets --device emulated --presets v9
refuses 2 'u32 and i32' "$BITUNE" bench presets --device emulated --keys f64
echo '{"no": "list"}' >broken.json
refuses 1 'no list of results' "$BITUNE" bench presets --device emulated --sizes 100 --presets v0 --samples 1 --out broken.json

"$python" -c 'import matplotlib' 2>err || exit 0
export BITUNE_PYTHON=$python
expect 0 "$BITUNE" bench presets --device emulated --against none --sizes 100,1000 --samples 1 --presets v0,v3 --plots plots
[ "$(ls plots)" = "$(printf 'presets-u32-kernels.svg\npresets-u32-total.svg')" ] || fail "other plots: $(ls -a plots)"
says plots/presets-u32-total.svg '<svg'
BITUNE_PYTHON=/nowhere/python expect 1 "$BITUNE" bench presets --device emulated --sizes 100 --samples 1 --presets v0 --plots plots
says err 'need Python 3 with Matplotlib'
