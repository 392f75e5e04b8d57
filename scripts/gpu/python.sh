#!/usr/bin/env bash
# The Python package on the GPU of this machine: installs a wheel into an environment of its own, runs the GPU part of tests/python,
# and compares with torch.sort, torch.argsort and cupy.sort. Leaves in OUT: python.json (what bench/results/<gpu>/python.json
# records), tests.xml and log.txt; all else is in a temporary folder. No network is needed. What is not done within LIMIT seconds is
# left out, and what was measured stays.
# usage: scripts/gpu/python.sh WHEEL OUT
# environment: STEPS (tests calls sizes rows start; done in the order given), LIMIT (230 seconds in all), STEP_LIMIT (120 seconds for
# each), PYTHON (python3, with torch; CuPy and JAX take part where they are), KEYS (float32), LARGEST (28: arrays of up to 2^28 keys),
# TOTAL (24: rows of 2^24 keys in all), BITUNE_NVRTC
# A wheel is made by scripts/wheel.sh, or of a build that is there by scripts/wheel.sh dist --of build/portable. pytest is taken from
# PYTHON, or from the folder of WHEEL, where it was left by: pip download --dest dist pytest pytest-xdist
set -uo pipefail
wheel=${1:-} results=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
[[ -f $wheel && -n $results ]] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2; }
mkdir -p "$results"
results=$(cd "$results" && pwd)
OUT=$(mktemp -d) || exit 1
trap 'rm -rf "$OUT"' EXIT
BIN=$OUT/environment/bin
python=${PYTHON:-python3}
STEPS=${STEPS:-tests calls sizes rows start}

# Without pip of its own: that of the Python it is made of does, and is there where ensurepip is not. What that Python finds, this one
# finds, too, whether it is the system's or an environment itself.
"$python" -m venv --clear --without-pip --system-site-packages "$OUT/environment" || exit 1
site=$("$BIN/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -c 'import sys; print(*[p for p in sys.path if p.endswith("-packages")], sep="\n")' >"$site/outer.pth"
"$BIN/python" -m pip install --quiet --disable-pip-version-check --ignore-installed --no-deps --no-index "$wheel" || exit 1
"$BIN/python" -c 'import pytest' 2>/dev/null ||
  "$BIN/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$(dirname "$wheel")" pytest ||
  { echo "$0: there is no pytest; the tests are left out" >&2; STEPS=${STEPS/tests/}; }
# The tests run side by side with it, which is most of the time where kernels are compiled.
"$BIN/python" -c 'import xdist' 2>/dev/null ||
  "$BIN/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$(dirname "$wheel")" pytest-xdist 2>/dev/null
source "$here/common.sh"

# NVIDIA's wheels may lie in the environment that this one is made of, where bitune does not look.
if ! "$BIN/bitune" devices --json | "$BIN/python" -c 'import json, sys; sys.exit(not json.load(sys.stdin)["nvrtc"]["library"])'; then
  while read -r folder; do
    found=$(compgen -G "$folder/nvidia/c*/lib/libnvrtc.so.*" | head -n 1) && export BITUNE_NVRTC=${BITUNE_NVRTC:-$found}
  done <"$site/outer.pth"
fi
require_gpu
# The caches of others, too: nothing goes into the home of who runs this.
export BITUNE_CACHE=$OUT/kernels BITUNE_TEST_HOME=$OUT XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1
export CUPY_CACHE_DIR=$OUT/cupy TRITON_CACHE_DIR=$OUT/triton TORCHINDUCTOR_CACHE_DIR=$OUT/inductor

LIMIT=${LIMIT:-230}
# A step that ends when its time is over, or that of all.
in_time() {
  local name=$1 left=$((LIMIT - SECONDS)) most=${STEP_LIMIT:-120}
  shift
  ((left <= most)) || left=$most
  if ((left < 5)); then
    echo "$name: left out, as $LIMIT s are over" | tee "$OUT/$name.log"
    failed+=("$name")
  else
    step "$name" timeout -s INT -k 5 "$left" "$@"  # pytest then tells of what it has done
  fi
}
compare() {
  in_time "$1" "$BIN/python" "$here/python_bench.py" "$1" --out "$results/python.json" --keys "${KEYS:-float32}" \
    --largest "${LARGEST:-28}" --total "${TOTAL:-24}"
}
# Most of a test is compiling. What sizes and rows need is compiled beside them, since nothing is timed meanwhile.
run_tests() {
  local workers=() compiling=
  "$BIN/python" -c 'import xdist' 2>/dev/null && workers=(-n 8)
  if wants sizes || wants rows; then
    (failed=(); compare compile; ((${#failed[@]} == 0))) &
    compiling=$!
  fi
  in_time tests "$BIN/python" -m pytest -q -rs "${workers[@]}" -p no:cacheprovider --junitxml="$results/tests.xml" tests/python/test_gpu*.py
  [[ -z $compiling ]] || wait "$compiling" || failed+=(compile)
}

cd "$here/../.." || exit 1
for name in $STEPS; do
  case $name in
    tests) run_tests ;;
    start) in_time start "$BIN/python" "$here/python_start.py" --out "$results/python.json" ;;
    *) compare "$name" ;;
  esac
  for log in compile "$name"; do
    [[ ! -f $OUT/$log.log ]] || { cat "$OUT/$log.log"; mv "$OUT/$log.log" "$OUT/$log.shown"; }
  done | tee -a "$results/log.txt"
done
finish
