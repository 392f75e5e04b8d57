# What the end-to-end tests share. Each begins with: source "$(dirname "$0")/common.bash"
# BITUNE is the executable, BITUNE_PYTHON a Python with numpy. Nothing outside of a folder of the test's own is touched.
set -euo pipefail

: "${BITUNE:?must name the bitune executable}"
BITUNE=$(realpath "$BITUNE")
python=${BITUNE_PYTHON:-python3}
[ -x "$(command -v "$python" || true)" ] || python=python3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_DATA_HOME=$folder/data XDG_CACHE_HOME=$folder/cache HOME=$folder/home
export BITUNE_CXX=$here/plain_cxx.bash
unset BITUNE_DB BITUNE_CACHE BITUNE_SHIPPED_DB COLUMNS
database=$XDG_DATA_HOME/bitune/tuning.db

fail() {
  echo "FAILED: $*" >&2
  [ ! -s err ] || sed 's/^/  stderr: /' err >&2
  exit 1
}

# expect CODE COMMAND...: runs it with standard output in `out` and standard error in `err`, and checks the exit code.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >out 2>err || code=$?
  [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted: $*"
}

# says FILE TEXT...: each text occurs in the file.
says() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "$file does not say '$text': $(cat "$file")"
  done
}

# refuses CODE TEXT COMMAND...: the command ends with that code and one sentence on standard error that has the text.
refuses() {
  local code=$1 text=$2
  shift 2
  expect "$code" "$@"
  says err "$text"
  [ "$(wc -l <err)" -eq 1 ] || fail "more than one line of error: $*"
  grep -q '^bitune: ' err || fail "the error does not begin with 'bitune: ': $*"
  [ ! -s out ] || fail "an error leaves something on standard output: $*"
}

# json EXPRESSION: evaluates a Python expression of `d`, the document in `out`, and prints it.
json() {
  "$python" -c 'import json, sys; d = json.load(open("out")); print(eval(sys.argv[1]))' "$1"
}

# holds EXPRESSION: the expression of the document is true.
holds() {
  [ "$(json "$1")" = True ] || fail "does not hold: $1 in $(cat out)"
}

# A tuning session of few evaluations on the emulated device.
tune() {
  "$BITUNE" tune --device emulated --samples 3 --finalists 2 "$@"
}
