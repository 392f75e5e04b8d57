#!/usr/bin/env bash
# The Python package on the GPU of this machine: installs a wheel into an environment of its own, runs the GPU part of tests/python,
# and compares with torch.sort, torch.argsort and cupy.sort. Leaves in OUT: python.json (what bench/results/<gpu>/python.json
# records), tests.xml and logs. No network is needed.
# usage: scripts/gpu/python.sh WHEEL OUT
# environment: STEPS (tests start calls sizes rows), PYTHON (python3, with torch; CuPy and JAX take part where they are), KEYS
# (float32), LARGEST (28: arrays of up to 2^28 keys), TOTAL (24: rows of 2^24 keys in all), BITUNE_NVRTC
# A wheel is made by scripts/wheel.sh, or of a build that is there by scripts/wheel.sh dist --of build/portable. pytest is taken from
# PYTHON, or from the folder of WHEEL, where it was left by: pip download --dest dist pytest
set -uo pipefail
wheel=${1:-} OUT=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
[[ -f $wheel && -n $OUT ]] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2; }
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
BIN=$OUT/environment/bin
python=${PYTHON:-python3}
STEPS=${STEPS:-tests start calls sizes rows}

# Without pip of its own: that of the Python it is made of does, and is there where ensurepip is not. What that Python finds, this one
# finds, too, whether it is the system's or an environment itself.
"$python" -m venv --clear --without-pip --system-site-packages "$OUT/environment" || exit 1
site=$("$BIN/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -c 'import sys; print(*[p for p in sys.path if p.endswith("-packages")], sep="\n")' >"$site/outer.pth"
"$BIN/python" -m pip install --quiet --no-deps --no-index "$wheel" || exit 1
"$BIN/python" -c 'import pytest' 2>/dev/null ||
  "$BIN/python" -m pip install --quiet --no-index --find-links "$(dirname "$wheel")" pytest ||
  echo "$0: there is no pytest; the tests are left out" >&2
source "$here/common.sh"

# NVIDIA's wheels may lie in the environment that this one is made of, where bitune does not look.
if ! "$BIN/bitune" devices --json | "$BIN/python" -c 'import json, sys; sys.exit(not json.load(sys.stdin)["nvrtc"]["library"])'; then
  while read -r folder; do
    found=$(compgen -G "$folder/nvidia/c*/lib/libnvrtc.so.*" | head -n 1) && export BITUNE_NVRTC=${BITUNE_NVRTC:-$found}
  done <"$site/outer.pth"
fi
require_gpu
export BITUNE_CACHE=$OUT/kernels BITUNE_TEST_HOME=$OUT XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1
compare() { "$BIN/python" "$here/python_bench.py" "$@" --out "$OUT/python.json" --keys "${KEYS:-float32}"; }

cd "$here/../.." || exit 1
wants tests && step tests timeout 150 "$BIN/python" -m pytest -q -rs -p no:cacheprovider --junitxml="$OUT/tests.xml" tests/python/test_gpu.py
wants sizes && step sizes compare sizes --largest "${LARGEST:-28}"
wants rows && step rows compare rows --total "${TOTAL:-24}"
wants calls && step calls compare calls
wants start && step start compare start
for log in tests calls start sizes rows; do
  wants "$log" && cat "$OUT/$log.log"
done
finish
