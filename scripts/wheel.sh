#!/usr/bin/env bash
# Builds the Python wheel: everything but libc and libgcc linked statically, and tagged for the Linux systems that it runs on.
#
#   scripts/wheel.sh [OUT]            compiles what is not compiled, in build/portable; OUT is dist/ unless it is given
#   scripts/wheel.sh OUT --of FOLDER  of what FOLDER, a build of another preset, has built; nothing is compiled
#
# The wheel is the only file that OUT gets.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/lib/setup.sh
case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
esac
out=${1:-dist} folder=build/portable
if [[ ${2:-} == --of ]]; then
  folder=${3:?--of wants a build folder}
elif [[ -n ${2:-} ]]; then
  fail "there is no '$2'; scripts/wheel.sh --help says what there is"
else
  ensure_packages "${BUILD_PACKAGES[@]}"
  ensure_cuda
  CUDA_FLAGS=("${CUDA_FLAGS[@]/-DBITUNE_NVRTC_HINT=*/-DBITUNE_NVRTC_HINT=}")  # this machine's is nobody else's
  configure portable portable -DBITUNE_BUILD_TESTS=OFF -DBITUNE_WITH_CUB=OFF
  cmake --build build/portable --target bitune bitune_c
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
mv build/wheel/*.whl "$out/"
ls -l "$out"/bitune-*"$tag".whl
