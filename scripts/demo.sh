#!/usr/bin/env bash
# The main job, from nothing: sets up, builds, tunes a small space (on the GPU if there is one, else on the emulated device),
# sorts arrays with what was learnt, compares them with numpy.sort, and shows the tuning database.
# What it writes is in build/; nothing goes into your home.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/lib/setup.sh

ensure_packages "${BUILD_PACKAGES[@]}"
ensure_python demo data
ensure_cuda
build release bitune ${BITUNE_DEMO_FLAGS:-} || fail "the build failed"

demo=$PWD/build/demo
bitune=$PWD/build/release/bin/bitune
python=$PWD/$VENV/bin/python
mkdir -p "$demo"
export XDG_DATA_HOME=$demo/data XDG_CACHE_HOME=$demo/cache BITUNE_DB=$demo/tuning.db

began=$SECONDS
heading() { printf '\n=== %s\n' "$1"; }
run() {
  printf '\n$ bitune %s\n' "${*//"$demo/"/}"
  "$bitune" "$@"
}

heading 'What there is to sort on'
run devices
if "$bitune" devices --json | "$python" -c '
import json, sys
found = json.load(sys.stdin)["devices"]
sys.exit(not any(device["selector"].isdigit() for device in found))'; then
  device=0 sizes='2^12,2^16,2^20'
else
  device=emulated sizes='2^8,2^10,2^12'
fi
budget=${BITUNE_DEMO_BUDGET:-20s}

heading "1. Tune: u32 and f32 keys, three sizes, all variants, for at most $budget"
run tune --device "$device" --keys u32,f32 --sizes "$sizes" --budget "$budget"

heading '2. Sort arrays that the Python package vega_datasets ships, with what was learnt'
"$python" scripts/lib/demo_data.py "$demo"
for input in "$demo"/*.npy; do
  [[ $input == *.sorted.npy ]] && continue
  output=${input%.npy}.sorted.npy
  run sort "$input" -o "$output" --device "$device" --verify
  "$python" scripts/lib/compare_sorted.py "$input" "$output"
done

heading '3. Sort from Python, with the package that pip installs'
cmake --build build/release --target wheel
rm -rf "$demo/dist"
scripts/wheel.sh "$demo/dist" --of build/release
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall "$demo"/dist/*.whl
printf '\n$ python examples/sort_numpy.py\n'
"$python" examples/sort_numpy.py

heading '4. Inspect: what won, and how many trials there were'
run db best
run db list
run db report "$demo/report.html"
printf '\nDone in %d s. The tuning database is build/demo/tuning.db; try: build/release/bin/bitune db trials --db build/demo/tuning.db\n' $((SECONDS - began))
