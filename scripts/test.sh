#!/usr/bin/env bash
# All that CI runs: set-up, build with sanitizers, tests, coverage, release build, installation, demo, format, lint.
#
#   scripts/test.sh              everything
#   scripts/test.sh STAGE...     only these (in this order): tree format build test coverage release install demo python tidy
#   scripts/test.sh reformat     rewrites the sources as .clang-format has them
#
# A failing stage does not stop the later ones. Coverage, install and python run beside what follows them. The last line counts CTest's
# tests and pytest's, and each failed stage as one more failure.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/lib/setup.sh
source scripts/lib/checks.sh

all_stages=(tree format build test coverage release install demo python tidy)
case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
esac
stages=("$@")
((${#stages[@]})) || stages=("${all_stages[@]}")

junit=$PWD/build/test-results.xml
python_junit=$PWD/build/python/tests.xml
declare -A state=()

stage_tree() { check_tree; }
stage_format() { check_format; }
stage_reformat() { reformat; }
# clang compiles that without optimisation in half of GCC's time; what people run is built by the usual compiler in stage_release.
stage_build() { build sanitize all -DBITUNE_WERROR=ON "$(sanitizing_compiler)"; }
# Other sources together than in the preset 'sanitize' (24 at a time), so that an include that one lends another is missed in either.
# Of the kernels that are shipped, those of one problem: that they are made, packed and found is the same for all of them.
release_flags=(-DBITUNE_WERROR=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32 -DBITUNE_CUB_SAMPLE=ON
  -DBITUNE_SHIP_KERNELS=ON "-DBITUNE_SHIP_KERNELS_OF=--operation;sort;--key;u32;--n;1024;--rows;1")
stage_release() { build release app "${release_flags[@]}"; }

# What others build against: an installation, its examples, and the ABI of the C library.
stage_install() {
  [[ ${state[release]:-passed} == passed ]] || { echo "not run, as the release build failed"; return 1; }
  bash scripts/lib/check_installed.sh build/release build/installed && bash scripts/abi.sh build/release/lib/libbitune.so
}

stage_test() {
  rm -rf "$junit" build/sanitize/test-results
  [[ ${state[build]:-passed} == passed ]] || { echo "not run, as the build failed"; return 1; }
  find build/sanitize -name '*.gcda' -delete 2>/dev/null
  # One more than there are processors: some wait for each other.
  ctest --test-dir build/sanitize -j "$(($(nproc) + 1))" --no-tests=error --output-on-failure --output-junit "$junit"
}

# By itself, of the tests that ran last.
stage_coverage() {
  [[ -n $(find build/sanitize -name '*.gcda' -print -quit 2>/dev/null) ]] ||
    { echo "not run, as no test has run that could be counted; scripts/test.sh build test coverage runs them first"; return 1; }
  check_coverage build/sanitize
}

# The flags are those of stage_release, so that nothing is built twice. What a longer session finds is nothing to test: eight
# configurations of each problem, however fast the machine is.
stage_demo() { BITUNE_DEMO_FLAGS="${release_flags[*]}" BITUNE_DEMO_BUDGET=${BITUNE_DEMO_BUDGET:-48evals} bash scripts/demo.sh; }

# The wheel of what stage_release has built, in an environment that has nothing else of ours. In two processes, which share the kernels
# that the emulated device compiled: most of the time. By clang where it is, which takes half of g++'s time, and as plain code, as in the
# end-to-end tests; stage_install and stage_demo have g++'s, as people run it.
stage_python() {
  local environment=$PWD/build/python/environment python=$PWD/build/python/environment/bin/python
  rm -rf build/python
  [[ ${state[release]:-passed} == passed ]] || { echo "not run, as the release build failed"; return 1; }
  bash scripts/wheel.sh build/python/dist --of build/release && python3 -m venv "$environment" || return 1
  "$python" -m pip install --quiet --disable-pip-version-check "$(echo "$PWD"/build/python/dist/*.whl)[test]" || return 1
  CXX=$(clang_tool clang++ || command -v c++) BITUNE_CXX=$PWD/tests/end_to_end/plain_cxx.sh BITUNE_TEST_HOME=$PWD/build/python/home "$python" -m pytest -q -rs -n 2 --junitxml="$python_junit" tests/python
}

# A folder that is only configured: clang-tidy wants the commands of the sources by themselves.
stage_tidy() {
  configure release tidy -DBITUNE_UNITY=OFF || return 1
  check_tidy build/tidy
}

# run_stage NAME [COMMAND...]: the command is the stage's own unless it is given.
run_stage() {
  local name=$1 began=${began_of[$1]:-$SECONDS}
  local command=("${@:2}")
  ((${#command[@]})) || command=("stage_$name")
  printf '\n======== %s\n' "$name"
  "${command[@]}" && state[$name]=passed || state[$name]=FAILED
  took[$name]=$((SECONDS - began))
  printf -- '-------- %s: %s, %d s\n' "$name" "${state[$name]}" "${took[$name]}"
}

# run_together FIRST SECOND: stages of which the first leaves a core idle for long, and that write nothing that the other reads. What the
# first one says comes when both are done.
run_together() {
  local log=$PWD/build/stage-$1.log
  began_of[$1]=$SECONDS
  "stage_$1" >"$log" 2>&1 &
  local running=$!
  run_stage "$2"
  told() { wait "$running"; local rc=$?; cat "$log"; return "$rc"; }
  run_stage "$1" told
}

for name in "${stages[@]}"; do
  declare -F "stage_$name" >/dev/null || { echo "unknown stage '$name'; there are: ${all_stages[*]}" >&2; exit 2; }
done

declare -A took=() began_of=()
began=$SECONDS
mkdir -p build
ensure_packages "${BUILD_PACKAGES[@]}" "${LINT_PACKAGES[@]}" "${SANITIZE_PACKAGES[@]}" "${TEST_PACKAGES[@]}" "${INSTALL_PACKAGES[@]}"
ensure_python demo data test plots exchange
ensure_cuda
setup_took=$((SECONDS - began))

for ((i = 0; i < ${#stages[@]}; i++)); do
  # The demo builds what is not built, which the installation must not see half done.
  case "${stages[*]:i:2} ${state[release]:-}" in
    'coverage release '* | 'install demo passed' | 'python tidy '*) run_together "${stages[@]:i++:2}" ;;
    *) run_stage "${stages[i]}" ;;
  esac
done

# Nothing is counted if no test ran: what an earlier run left is not of this one.
passed=0 failed=0 skipped=0
[[ -z ${state[test]:-} ]] || read -r passed failed skipped < <(python3 scripts/lib/count_tests.py "$junit" build/sanitize/test-results)
if [[ ${state[python]:-} ]]; then
  read -r more_passed more_failed more_skipped < <(python3 scripts/lib/count_tests.py "$python_junit")
  passed=$((passed + more_passed)) failed=$((failed + more_failed)) skipped=$((skipped + more_skipped))
fi
failed_stages=0
printf '\n======== summary\n%-10s %-8s %5d s\n' setup passed "$setup_took"
for name in "${stages[@]}"; do
  printf '%-10s %-8s %5d s\n' "$name" "${state[$name]}" "${took[$name]}"
  # CTest and pytest count the failures of these stages themselves, if they ran at all.
  if [[ ${state[$name]} != passed && ! ($name =~ ^(test|python)$ && $failed -gt 0) ]]; then
    failed_stages=$((failed_stages + 1))
  fi
done
printf '%-10s %-8s %5d s\n' total '' "$((SECONDS - began))"
[[ -f build/coverage/log.txt && ${state[coverage]:-} ]] && grep '^lines:' build/coverage/log.txt

printf '%d passed, %d failed, %d skipped\n' "$passed" "$((failed + failed_stages))" "$skipped"
((failed + failed_stages == 0))
