#!/usr/bin/env bash
# The ABI of the C library: compares libbitune.so with what capi/abi.xml describes, by abidiff.
#
#   scripts/abi.sh [LIBRARY]           what is different; the library is build/release/lib/libbitune.so unless it is given
#   scripts/abi.sh --renew [LIBRARY]   writes capi/abi.xml anew, where a difference is meant
#
# An addition (a function; members at the end of a struct that carries its size) needs nothing but that. For what breaks programs that
# were compiled before, raise BITUNE_ABI_VERSION in include/bitune/bitune.h and SOVERSION in capi/CMakeLists.txt first.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
esac
renew=
[[ ${1:-} != --renew ]] || { renew=1; shift; }
library=${1:-build/release/lib/libbitune.so}
[[ -f $library ]] || { echo "scripts/abi.sh: there is no $library; build the target bitune_c, or name the library" >&2; exit 1; }
command -v abidw >/dev/null || { echo "scripts/abi.sh: there is no abidw; install Debian's abigail-tools" >&2; exit 1; }

described=$(mktemp)
trap 'rm -f "$described"' EXIT
# Only what the header declares, and nothing of the machine where it was built.
abidw --exported-interfaces-only --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-write-default-sizes \
  --type-id-style hash "$library" >"$described"
if [[ -n $renew ]]; then
  cp "$described" capi/abi.xml
  exit
fi
abidiff --no-show-locs capi/abi.xml "$described" || {
  echo "$library is not as capi/abi.xml says; if that is meant: scripts/abi.sh --renew (see --help)"
  exit 1
}
