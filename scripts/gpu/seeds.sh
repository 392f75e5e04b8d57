#!/usr/bin/env bash
# What a session of `tune` with its defaults is worth: two of them with different seeds, each on a GPU of its own where there are two,
# then what each selects, and what the shipped tunings do, measured in turn. Leaves in OUT: s1.db, s2.db, tune-1.log, tune-2.log (how many
# trials, how long), and seeds-<key>-<selection>-<round>.json; scripts/seed_records.py makes records for bench/results/<gpu>/tuner.json of them.
# usage: scripts/gpu/seeds.sh OUT [BIN]
# environment: BITUNE_SHIPPED_DB (what the sessions begin with: data/tunings.db; empty: with nothing, and 'shipped' is what an untuned GPU
# does: seed_records.py --from-nothing), ROUNDS (3), SIZES (2^10..2^26)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
shipped=${BITUNE_SHIPPED_DB-$here/../../data/tunings.db}
sizes=${SIZES:-2^10..2^26}
gpus=$(gpu_count)
JOBS=$((gpus > 1 ? 2 : 1))

# Each share has a kernel cache of its own.
tune() { on "$1" XDG_CACHE_HOME="$OUT/cache-$1" BITUNE_SHIPPED_DB="$shipped" "$BIN/bitune" tune --seed "$2" --sizes "$sizes" --db "$OUT/s$2.db"; }

# Each round benches the selections one after the other, each in a process of its own.
bench() {
  local share=$1 key=$2 round selection
  for ((round = 1; round <= ${ROUNDS:-3}; ++round)); do
    for selection in s1 s2 shipped; do
      on "$share" XDG_CACHE_HOME="$OUT/cache-$share" BITUNE_SHIPPED_DB="$shipped" "$BIN/bitune" bench --against none --keys "$key" --sizes "$sizes" \
        --db "$OUT/$selection.db" --out "$OUT/seeds-$key-$selection-$round.json" || return 1
    done
  done
}

beside tune-1 tune 0 1
beside tune-2 tune 1 2
together
beside bench-u32 bench 0 u32
beside bench-f32 bench 1 f32
together
tail -n 1 "$OUT"/tune-[12].log
rm -rf "$OUT"/cache-[01]
finish
