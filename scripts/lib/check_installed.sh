#!/usr/bin/env bash
# Installs a build folder and uses it as a stranger would: the examples by find_package and by pkg-config, shared and static, each
# run on the emulated device; and the shipped tunings, from programs that lie elsewhere.
#
#   scripts/lib/check_installed.sh BUILD OUT
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${1#"$PWD/"} out=$PWD/${2#"$PWD/"} examples=$PWD/examples
prefix=$out/prefix
rm -rf "$out"
mkdir -p "$out/home"
[[ ! -d $HOME/.rustup ]] || export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}  # where rustc is one of rustup's
export HOME=$out/home
export XDG_DATA_HOME=$HOME/data XDG_CACHE_HOME=$HOME/cache
unset BITUNE_DB BITUNE_CACHE BITUNE_SHIPPED_DB BITUNE_LIBRARY LD_LIBRARY_PATH XDG_DATA_DIRS
export CUDA_VISIBLE_DEVICES=  # "auto" is then the emulated device, on a machine with a GPU too

cmake --install "$build" --prefix "$prefix" >"$out/install.log"

# Tunings of the emulated device for what sort_in_c sorts, as an installation would ship them: who finds them says so.
"$prefix/bin/bitune" tune --device emulated --operation sort_pairs --value-bytes 4 --keys f32 --sizes 5000 --budget 2evals --samples 2 --quiet \
  --db "$out/tuned.db" >"$out/tune.log" 2>&1 || { cat "$out/tune.log"; exit 1; }
rm "$prefix/share/bitune/tunings.db"
"$prefix/bin/bitune" db ship "$prefix/share/bitune/tunings.db" --db "$out/tuned.db" >"$out/ship.log"

cmake -S examples -B "$out/examples" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$out/configure.log"
cmake --build "$out/examples" >"$out/build.log" 2>&1 || { cat "$out/build.log"; exit 1; }

# A project in C alone takes the shared library, and hears why there is no other.
mkdir "$out/c_alone"
cat >"$out/c_alone/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(c_alone LANGUAGES C)
find_package(bitune 0.1 REQUIRED \${COMPONENTS})
add_executable(sort_in_c "$examples/sort_in_c.c")
target_link_libraries(sort_in_c PRIVATE bitune::bitune_c)
CMAKE
cmake -S "$out/c_alone" -B "$out/c_alone/build" -DCMAKE_PREFIX_PATH="$prefix" >"$out/c_alone.log" 2>&1 &&
  cmake --build "$out/c_alone/build" >>"$out/c_alone.log" 2>&1 || { cat "$out/c_alone.log"; exit 1; }
if cmake -S "$out/c_alone" -B "$out/c_alone/static" -DCMAKE_PREFIX_PATH="$prefix" "-DCOMPONENTS=COMPONENTS;static" >"$out/c_static.log" 2>&1 ||
  ! grep -q "missing: CXX" "$out/c_static.log"; then
  echo "find_package(bitune COMPONENTS static) does not say that it wants C++:"
  cat "$out/c_static.log"
  exit 1
fi

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name bitune.pc)")
read -ra flags < <(pkg-config --cflags --libs bitune)
library=$(pkg-config --variable=libdir bitune)
cc "$examples/sort_in_c.c" "${flags[@]}" -Wl,-rpath,"$library" -o "$out/by_pkg_config"
# -lbitune takes the shared library where both are.
read -ra flags < <(pkg-config --cflags --libs --static bitune | sed 's/-lbitune /-l:libbitune.a /')
cc "$examples/sort_in_c.c" "${flags[@]}" -o "$out/by_pkg_config_static"

# Rust, where its compiler is; without cargo, as the example wants no crate.
if command -v rustc >/dev/null && rustc --version >/dev/null 2>&1; then
  rustc -O --edition 2021 -D warnings "$examples/sort_in_rust.rs" -L native="$library" -l bitune -C link-arg=-Wl,-rpath,"$library" \
    -o "$out/examples/sort_in_rust"
fi

bad=0
# run NAME PROGRAM...: from another folder.
run() {
  local name=$1
  shift
  (cd "$out/home" && "$@") >"$out/$name.log" 2>&1 && return
  printf '%s failed:\n' "$name"
  cat "$out/$name.log"
  bad=1
}
programs=(sort_floats argsort sort_in_c sort_in_c_static)
if [[ -x $out/examples/sort_in_fortran ]]; then programs+=(sort_in_fortran); else echo "no Fortran compiler: examples/sort_in_fortran.f90 was not tried"; fi
if [[ -x $out/examples/sort_in_rust ]]; then programs+=(sort_in_rust); else echo "no Rust compiler: examples/sort_in_rust.rs was not tried"; fi
for program in "${programs[@]}"; do run "$program" "$out/examples/$program"; done
run c_alone "$out/c_alone/build/sort_in_c"
run by_pkg_config "$out/by_pkg_config"
run by_pkg_config_static env XDG_DATA_DIRS="$prefix/share" "$out/by_pkg_config_static"
for linked in examples/sort_in_c_static by_pkg_config_static; do
  if ldd "$out/$linked" | grep -q libbitune; then
    echo "$linked takes the shared library"
    bad=1
  fi
done
for told in sort_in_c by_pkg_config by_pkg_config_static; do
  grep -q '"match":"shipped"' "$out/$told.log" && continue
  echo "$told did not find the shipped tunings:"
  cat "$out/$told.log"
  bad=1
done

# The program is Python, wherever it lies.
run opened_by_python python3 - "$library/libbitune.so" <<'PYTHON'
import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
library.bitune_last_error.restype = ctypes.c_char_p
options = (ctypes.c_void_p * 4)(32, ctypes.cast(ctypes.c_char_p(b"emulated"), ctypes.c_void_p).value, None, None)
sorter, text = ctypes.c_void_p(), ctypes.c_char_p()
assert library.bitune_sorter_create(options, ctypes.byref(sorter)) == 0, library.bitune_last_error()
# size; operation (pairs), key (f32), value and index bytes, order, stable; k, n, rows, ragged
problem = (ctypes.c_uint32 * 16)(64, 0, 1, 8, 4, 0, 0, 1, 0, 0, 5000, 0, 1, 0, 0, 0)
assert library.bitune_explain(sorter, problem, ctypes.byref(text)) == 0, library.bitune_last_error()
assert json.loads(text.value)["match"] == "shipped", text.value
PYTHON
exit "$bad"
