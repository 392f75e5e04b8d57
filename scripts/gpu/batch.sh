#!/usr/bin/env bash
# Runs several jobs one behind the other, each no longer than it may. What they leave is packed every half a minute: where the whole is cut
# off, what was there until then is not lost.
# usage: scripts/gpu/batch.sh OUT [BIN] <JOBS   (JOBS: a line for each: NAME SECONDS COMMAND; empty lines and lines that begin with # are none)
# COMMAND is run by a shell, in this folder. It finds a folder of its own in $RES, and the executables in $BIN:
#   soak 150 scripts/gpu/soak.sh "$RES" "$BIN"
#   memory 120 STEPS=memory scripts/gpu/trust.sh "$RES" "$BIN"
# OUT gets results.tar.xz: a folder and a log for each. Databases of the sanitizers' runs stay out of it: they are large, and tell nothing
# that their logs do not.
# environment: PACK_SECONDS (30)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
export BIN
unset BITUNE_DB  # each job has its own
packed=$OUT/results.tar.xz
OUT=$(mktemp -d)
# pack NAME: under another name first. That of the last one is its own: the one before may still be written when its shell is gone.
pack() {
  tar cJf "$packed.$1" -C "$OUT" --exclude='*check-*.db*' . 2>/dev/null
  mv "$packed.$1" "$packed"
}
(while sleep "${PACK_SECONDS:-30}"; do pack early; done) &
packer=$!
while read -r name seconds command; do
  [[ -n $name && $name != \#* ]] || continue
  export RES=$OUT/$name
  mkdir -p "$RES"
  step "$name" timeout --kill-after=5 "$seconds" bash -c "$command" </dev/null
done
kill "$packer"
wait "$packer" 2>/dev/null
pack last
rm -rf "$OUT" "$packed.early"
finish
