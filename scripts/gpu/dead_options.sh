#!/usr/bin/env bash
# Which values of parameters never win: searches of the variants in question, at random, so that each value is tried beside all others.
# Takes less than 4 minutes on an H200. scripts/dead_options.py OUT/tuning.db then tells, for each value, what it costs to do without it.
# usage: scripts/gpu/dead_options.sh OUT [BIN]
# environment: SECONDS_EACH (of a session, 28)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu

# tried NAME ARGUMENTS...: a search of its own. Defaults and finalists are part of it, and it begins with nothing that won elsewhere.
tried() {
  local name=$1
  shift
  step "$name" "$BIN/bitune" tune --strategy random --no-warm-start --budget "${SECONDS_EACH:-28}s" "$@"
}

tried multiway-32 --variants multiway --keys u32 --sizes 2^16,2^18,2^20,2^22
tried multiway-64 --variants multiway --keys u64 --sizes 2^16,2^18,2^20
tried samplesort-32 --variants samplesort --keys u32 --sizes 2^21,2^22,2^23
tried samplesort-64 --variants samplesort --keys u64 --sizes 2^21,2^22
tried radix-32 --variants radix --keys u32 --sizes 2^22,2^25
tried radix-16 --variants radix --keys u16 --sizes 2^25
tried rows --variants rows --keys u32 --sizes 16,256,4096 --total 2^24
finish
