#!/usr/bin/env bash
# Runs several jobs one behind the other, each no longer than it may. What they leave is packed every half a minute: where the whole is cut
# off, what was there until then is not lost.
# usage: scripts/gpu/batch.sh OUT [BIN] <JOBS   (JOBS: a line for each: NAME SECONDS COMMAND; empty lines and lines that begin with # are none)
# COMMAND runs in the root of this tree, as a shell would run it. It finds a folder of its own in $RES, and the executables in $BIN:
#   soak 150 scripts/gpu/soak.sh "$RES" "$BIN"
#   memory 120 STEPS=memory scripts/gpu/trust.sh "$RES" "$BIN"
# OUT gets jobs.log, which says how each ended, and results.tar.xz, with a folder and an output for each. Databases of the sanitizers' runs
# stay out of it: they are large, and tell nothing that their logs do not.
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
[[ -n $OUT ]] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
cd "$(dirname "$0")/../.." || exit
[[ -x $BIN/bitune ]] || { echo "$0: there is no bitune in $BIN: build the preset 'portable' first" >&2; exit 2; }
BIN=$(cd "$BIN" && pwd)
export BIN
results=$(mktemp -d)
pack() {
  tar cJf "$OUT/results.part" -C "$results" --exclude='*check-*.db*' . 2>/dev/null
  mv "$OUT/results.part" "$OUT/results.tar.xz"
}
(while sleep "${PACK_SECONDS:-30}"; do pack; done) &
packer=$!
while read -r name seconds command; do
  [[ -n $name && $name != \#* ]] || continue
  export RES=$results/$name
  mkdir -p "$RES"
  began=$SECONDS rc=0
  timeout --kill-after=5 "$seconds" bash -c "$command" >"$results/$name.out" 2>&1 </dev/null || rc=$?
  echo "$name: $([[ $rc == 0 ]] && echo ok || echo "FAILED ($rc)") in $((SECONDS - began)) s"
done | tee "$OUT/jobs.log"
kill "$packer"
wait "$packer" 2>/dev/null
pack
rm -rf "$results"
! grep -q FAILED "$OUT/jobs.log"
