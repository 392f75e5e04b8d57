# Checks of the tree that need no build; sourced by test.sh.

# tree_files [PATTERN...]: the project's files, tracked or about to be.
tree_files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [[ -f $f ]] && echo "$f"; done; }

clang_tool() { command -v "$1-14" || command -v "$1"; }

# The flag for CMake that names the compiler of the build with sanitizers: clang, where it has their libraries.
sanitizing_compiler() {
  local clang
  clang=$(clang_tool clang++) && echo 'int main() {}' | "$clang" -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null ||
    clang=c++
  printf -- '-DCMAKE_CXX_COMPILER=%s\n' "$clang"
}

sources() { tree_files '*.cpp' '*.hpp' '*.h' '*.cuh' '*.cu'; }

check_format() {
  local unlike
  unlike=$(sources | xargs -r "$(clang_tool clang-format)" --dry-run 2>&1 | grep -oE '^[^ :]+:[0-9]+:[0-9]+: (warning|error)' |
    cut -d : -f 1 | sort | uniq -c)
  [[ -n $unlike ]] || return 0
  printf '%s\nare not as .clang-format has them (number of places, file); scripts/test.sh reformat rewrites them\n' "$unlike"
  return 1
}

reformat() { sources | xargs -r "$(clang_tool clang-format)" -i; }

# Files past 500 lines are two ideas (recorded data, what is generated from it, drawings and the licence aside); paths of a machine belong to nobody else.
check_tree() {
  local file lines bad=0
  while read -r file; do
    case $file in LICENSE | capi/abi.xml | docs/performance-details.md | *.json | *.npy | *.db | *.xz | *.png | *.txt | *.svg) continue ;; esac
    lines=$(wc -l <"$file")
    if ((lines > 500)); then
      echo "$file: $lines lines, and 500 are the most"
      bad=1
    fi
  done < <(tree_files)
  if tree_files | grep -v '^LICENSE$' | xargs -r grep -nIE '(^|[^A-Za-z0-9_./-])/(home|root|work|Users|mnt)/[A-Za-z0-9_.-]'; then
    echo "the lines above name a path of somebody's machine"
    bad=1
  fi
  python3 scripts/lib/check_rooms.py || bad=1
  python3 scripts/lib/check_operations.py || bad=1
  return "$bad"
}

# check_tidy BUILD: clang-tidy over the rooms' sources, without precompiled headers, many at a time: a header that one source includes
# serves the others of its group.
check_tidy() { python3 scripts/lib/tidy.py "$1" --tool "$(clang_tool clang-tidy)"; }

# check_coverage BUILD: more than 85 % of the host code's lines, from the counters that the tests left in the build folder. Threads
# may lose counts of each other (BituneOptions.cmake says why), which gcov, in taking the difference of two, can show as negative.
check_coverage() {
  local line excludes=() gcov=gcov
  if grep -q '^CMAKE_CXX_COMPILER:.*clang' "$1/CMakeCache.txt"; then gcov="$(clang_tool llvm-cov) gcov"; fi
  while read -r line; do
    line=${line%%#*}
    line=${line%"${line##*[![:space:]]}"}
    [[ -n $line ]] || continue
    [[ -f $line ]] || { echo "scripts/lib/coverage-excludes.txt names $line, which does not exist"; return 1; }
    excludes+=(--exclude "${line//./\\.}\$")
  done <scripts/lib/coverage-excludes.txt
  mkdir -p build/coverage
  rm -f build/coverage/summary.txt
  "$VENV/bin/gcovr" --root . --gcov-executable "$gcov" --filter '(include|model|cache|runtime|measure|tuner|multi|cli|capi|bench)/' "${excludes[@]}" -j "$(nproc)" \
    --exclude-throw-branches --gcov-ignore-parse-errors negative_hits.warn_once_per_file \
    --txt build/coverage/summary.txt --html-details build/coverage/index.html --print-summary \
    --fail-under-line 85 "$1" >build/coverage/log.txt 2>&1
  local rc=$?
  if [[ ! -f build/coverage/summary.txt ]]; then
    echo "gcovr cannot read the counters, as where sources were built anew after the tests; scripts/test.sh build test coverage counts again"
  elif ((rc != 0)); then
    cat build/coverage/summary.txt
  fi
  tail -n 8 build/coverage/log.txt
  return "$rc"
}
