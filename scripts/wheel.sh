#!/usr/bin/env bash
# Builds the Python wheel: everything but libc and libgcc linked statically, and tagged for the Linux systems that it runs on.
#
#   scripts/wheel.sh [OUT]               compiles what is not compiled, in build/portable; OUT is dist/ unless it is given
#   scripts/wheel.sh OUT --no-kernels    without the compiled kernels of the shipped tunings, which take most of the time
#   scripts/wheel.sh OUT --of FOLDER     of what FOLDER, a build folder, has built; nothing is compiled
#
# The wheel is the only file that OUT gets. It has 12 MB at most.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/lib/setup.sh
case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
esac
out=${1:-dist} folder=build/portable
case ${2:-} in
  --of) folder=${3:?--of wants a build folder} ;;
  --no-kernels) kernels=OFF ;;
  '') kernels=ON ;;
  *) fail "there is no '$2'; scripts/wheel.sh --help says what there is" ;;
esac
if [[ -n ${kernels:-} ]]; then
  ensure_packages "${BUILD_PACKAGES[@]}"
  ensure_cuda
  for flag in "${CUDA_FLAGS[@]}"; do
    [[ $flag != -DBITUNE_NVRTC_HINT=* ]] || hint=${flag#*=}
  done
  export BITUNE_NVRTC=${BITUNE_NVRTC:-$(compgen -G "${hint:-/nowhere}/libnvrtc.so.*" | head -n 1)}
  CUDA_FLAGS=("${CUDA_FLAGS[@]/-DBITUNE_NVRTC_HINT=*/-DBITUNE_NVRTC_HINT=}")  # this machine's is nobody else's
  configure portable portable -DBITUNE_BUILD_TESTS=OFF -DBITUNE_WITH_CUB=OFF -DBITUNE_SHIP_KERNELS=$kernels
  targets=(wheel)
  if [[ $kernels == ON ]]; then targets+=(shipped_kernels); else rm -f build/portable/share/bitune/tunings.kernels; fi
  cmake --build build/portable --target "${targets[@]}"
  # All that selection asks for by the shipped tunings, and of the version that the wheel's kernels have.
  [[ $kernels == OFF ]] || build/portable/bin/bitune db check --db build/portable/share/bitune/tunings.db --kernels
fi
ensure_python wheel

rm -rf build/wheel
mkdir -p "$out"
"$VENV/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/wheel \
  -C build-dir=build/wheel/cmake -C cmake.define.BITUNE_WHEEL_OF="$PWD/${folder#"$PWD/"}" .
wheel=$(echo build/wheel/*.whl)
# The oldest system that it runs on; none, where it links more than such systems are sure to have.
tag=$("$VENV/bin/python" -m auditwheel show "$wheel" | tr '\n' ' ' | grep -oE 'following platform tag: *"[a-z0-9_]+"' | cut -d '"' -f 2)
"$VENV/bin/python" -m wheel tags --remove --platform-tag "$tag" "$wheel" >/dev/null
wheel=$(echo build/wheel/*.whl)
(($(stat -c %s "$wheel") <= 12 << 20)) || fail "$wheel has $(stat -c %s "$wheel") bytes, and 12 MB are the most: BITUNE_SHIP_KERNELS_OF says of which tunings kernels are shipped"
mv "$wheel" "$out/"
ls -l "$out"/bitune-*"$tag".whl
