#!/usr/bin/env bash
# Segments of any lengths on the GPU of this machine: checks them, tunes them, compares with CUB, and leaves in OUT: tuning.db, tunings.db (the
# best: what data/tunings.db ships), segments.json (what bench/results/<gpu>/segments.json records), and logs. One part after the other, so
# that a call may do one: scripts/gpu/segments.sh OUT BIN uniform. Each adds to tuning.db and segments.json, and ships what is known by then.
# usage: scripts/gpu/segments.sh OUT [BIN [PART...]]
# parts: check (tests and a soak), mixed (tunes for lengths of any spread: u32 keys, and with values of 4 bytes, mean lengths of 16 to 100000), uniform,
#   zipf, few_long (u32 keys), pairs (u32 with values of 4 bytes: uniform and zipf), small (64 segments of 100, 1000 of 50), ones (2^26 of one key), equal
#   (beside rows of the same lengths), drawn (DRAWN shapes by chance), classes (2 to 2^17 keys, equal). The last two have a file of records each:
#   segments-drawn.json, segments-classes.json.
# environment: STEPS (tune bench), BUDGET (150s of tuning a part, shared by its problems; what is selected today is measured first), SIZES (mean
# lengths), TOTAL (2^26 keys in all), DRAWN (100), STRATEGY (bayesian), SAMPLES (15), BITUNE_DB (an existing database goes on where it stopped),
# LIMIT (seconds after which tests and soak of the part check end), MINUTES (1 of soak), SEED (1, of the soak)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
source "$(dirname "$0")/common.sh"
require_gpu
shift $(($# < 2 ? $# : 2))
parts=${*:-check mixed uniform zipf few_long pairs small ones equal drawn classes}
STEPS=${STEPS:-tune bench}
budget=${BUDGET:-150s}
sizes=${SIZES:-16,100,1000,10000,100000}
total=${TOTAL:-2^26}
pairs='--keys u32 --operation sort_pairs'

# problems_of PART: a line for each command: lengths, then the options that tune and bench share.
problems_of() {
  case $1 in
  mixed) for options in '--keys u32' "$pairs"; do echo "mixed $options --sizes $sizes --total $total"; done ;;
  uniform | zipf | few_long) echo "$1 --keys u32 --sizes $sizes --total $total" ;;
  pairs) for lengths in uniform zipf; do echo "$lengths $pairs --sizes $sizes --total $total"; done ;;
  small)
    echo "uniform --keys u32 --sizes 100 --rows 64"
    echo "uniform --keys u32 --sizes 50 --rows 1000"
    ;;
  ones) echo "equal --keys u32 --sizes 1 --total $total" ;;
  equal) echo "equal --keys u32 --sizes $sizes --total $total" ;;
  drawn)
    # As many problems as are asked for: number, mean length and lengths follow from the number alone.
    local i names=(uniform zipf few_long equal) numbers
    for ((i = 0; i < ${DRAWN:-100}; ++i)); do
      numbers=$(printf '%d' "0x$(printf 'bitune %d' "$i" | sha256sum | cut -c 1-12)")
      echo "${names[numbers % 4]} --keys u32 --sizes $(((1 << (numbers / 4 % 15)) + numbers / 60 % 97)) --total 2^$((16 + numbers / 5820 % 11))"
    done
    ;;
  # Neighbours differ by at most 1.5 times in time a key.
  classes) echo "equal --keys u32 --sizes 2,3$(for ((i = 4; i <= 1 << 17; i *= 2)); do printf ',%d,%d' "$i" $((i + i / 2)); done) --total $total" ;;
  *) echo "$0: there is no part '$1'; there are check mixed uniform zipf few_long pairs small ones equal drawn classes" >&2 && return 1 ;;
  esac
}

check() {
  step tests limited "$BIN/test_gpu" --gtest_filter='*egment*'
  [[ ! -x $BIN/soak ]] || step soak limited "$BIN/soak" --segments --minutes "${MINUTES:-1}" --seed "${SEED:-1}" --out "$OUT/soak.json"
}

for part in $parts; do
  if [[ $part == check ]]; then
    check
    continue
  fi
  lines=$(problems_of "$part" | wc -l)
  ((lines > 0)) || exit 2
  i=0 out=segments.json tunes='' benches=yes
  [[ $part =~ ^(drawn|classes)$ ]] && out=segments-$part.json
  # What others tell shows what is selected where nobody has tuned the very lengths.
  [[ $part =~ ^(mixed|small|ones)$ ]] && wants tune && tunes=yes
  { [[ $part == mixed ]] || ! wants bench; } && benches=''
  while read -r lengths options; do
    i=$((i + 1))
    if [[ -n $tunes ]]; then
      # shellcheck disable=SC2086  # a line is a list of options
      step "tune-$part-$i" "$BIN/bitune" tune --budget "$(($(seconds "$budget") / lines))s" --strategy "${STRATEGY:-bayesian}" \
        --lengths "$lengths" $options </dev/null
    fi
    if [[ -n $benches ]]; then
      # shellcheck disable=SC2086
      step "bench-$part-$i" "$BIN/bitune" bench --suite segments --samples "${SAMPLES:-15}" --out "$OUT/$out" \
        --lengths "$lengths" $options </dev/null
      cat "$OUT/bench-$part-$i.log"
    fi
  done < <(problems_of "$part")
  if [[ $part == equal ]] && wants bench; then
    step rows "$BIN/bitune" bench --suite rows --samples "${SAMPLES:-15}" --keys u32 --sizes "$sizes" --total "$total" --against none
    cat "$OUT/rows.log"
  fi
  if [[ -n $tunes ]]; then ship; fi
done
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
finish
