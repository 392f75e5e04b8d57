# Set-up that demo.sh and test.sh share; sourced with the repository's root as the working directory. Every function does
# nothing where its work is already done.

BUILD_PACKAGES=(g++ cmake ninja-build libcli11-dev libsqlitecpp-dev libsqlite3-dev nlohmann-json3-dev libfmt-dev
  libboost-context-dev libxxhash-dev zlib1g-dev liblzma-dev libgtest-dev libbenchmark-dev libjs-chart.js python3 python3-dev python3-venv)
LINT_PACKAGES=(clang-format clang-tidy git)
SANITIZE_PACKAGES=(clang libclang-rt-dev lld llvm)  # the build that CI tests, and its coverage
TEST_PACKAGES=(chromium-headless-shell)  # the test of `bitune db report`
INSTALL_PACKAGES=(pkg-config abigail-tools)  # who uses an installation, and the check of the C library's ABI
VENV=build/venv

say() { printf '==> %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# ensure_packages NAME...: Debian packages; as root installs what is missing, else says how to.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: expecting the equivalents of these packages to be there: $*"
    return
  fi
  local name missing=()
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    printf 'error: %d Debian packages are missing. Install them, then run this script again:\n\n  %s\n\n' \
      "${#missing[@]}" "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  say "installing ${missing[*]}"
  apt-get update -qq || fail "'apt-get update' failed"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

# ensure_python NAME...: the environment under build/, with scripts/lib/requirements-NAME.txt installed.
ensure_python() {
  local name file stamp flags
  if ! "$VENV/bin/python" -c 'import pip' 2>/dev/null; then
    say "creating the Python environment $VENV"
    rm -rf "$VENV"
    python3 -m venv "$VENV" || fail "python3 -m venv $VENV failed (Debian: the package python3-venv)"
  fi
  for name in "$@"; do
    file=scripts/lib/requirements-$name.txt
    stamp=$VENV/installed-$name.txt
    cmp -s "$file" "$stamp" && continue
    say "installing Python packages: $(grep -v '^#' "$file" | tr '\n' ' ')"
    flags=(--quiet --disable-pip-version-check --no-input)
    case $name in data | exchange) flags+=(--no-deps) ;; esac
    "$VENV/bin/python" -m pip install "${flags[@]}" -r "$file" || fail "pip could not install what $file lists"
    cp "$file" "$stamp"
  done
}

# toolkit_root: prints where the CUDA toolkit is, if its headers are there.
toolkit_root() {
  local root nvcc
  nvcc=$(command -v nvcc) && nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  for root in "${CUDAToolkit_ROOT:-}" "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "$nvcc"; do
    if [[ -n $root && -f $root/include/cuda.h && -f $root/include/nvrtc.h ]]; then
      printf '%s\n' "$root"
      return
    fi
  done
  return 1
}

# ensure_cuda: headers and NVRTC, from the toolkit, else (or with BITUNE_CUDA_FROM=wheels) from Python wheels. Sets CUDA_FLAGS
# for CMake, and BITUNE_NVRTC, the library that bitune opens, if it comes from the wheels.
ensure_cuda() {
  local root site folder
  CUDA_FLAGS=()
  if [[ ${BITUNE_CUDA_FROM:-toolkit} != wheels ]] && root=$(toolkit_root); then
    for folder in "$root/lib64" "$root/lib"; do
      if compgen -G "$folder/libnvrtc.so*" >/dev/null; then
        CUDA_FLAGS=(-DBITUNE_NVRTC_HINT="$folder")
        break
      fi
    done
    return 0
  fi
  ensure_python cuda
  site=$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  CUDA_FLAGS=("-DBITUNE_CUDA_INCLUDE_DIRS=$site/nvidia/cuda_runtime;$site/nvidia/cuda_nvrtc"
    -DBITUNE_NVRTC_HINT="$site/nvidia/cuda_nvrtc/lib")
  if [[ -z ${BITUNE_NVRTC:-} ]]; then
    BITUNE_NVRTC=$(compgen -G "$site/nvidia/cuda_nvrtc/lib/libnvrtc.so.*" | head -n 1)
    export BITUNE_NVRTC
  fi
}

# configure PRESET FOLDER [CMAKE_FLAG...]: build/FOLDER, where it is not there or the flags are new.
configure() {
  local preset=$1 folder=$2 stamp=build/$2/configured-with.txt
  local flags=("${@:3}" "${CUDA_FLAGS[@]}")
  [[ -f build/$folder/build.ninja && "$(cat "$stamp" 2>/dev/null)" == "${flags[*]}" ]] && return
  say "configuring build/$folder"
  cmake --fresh --preset "$preset" -B "build/$folder" "${flags[@]}" >"build/configure-$folder.log" 2>&1 ||
    { cat "build/configure-$folder.log" >&2; return 1; }
  printf '%s\n' "${flags[*]}" >"$stamp"
}

# build PRESET TARGET [CMAKE_FLAG...]: configures where the flags are new, then builds.
build() {
  local preset=$1 target=$2
  configure "$preset" "$preset" "${@:3}" || return 1
  say "building build/$preset ($target)"
  cmake --build "build/$preset" --target "$target" -- -k 0  # go on past an error, so that one run shows them all
}
