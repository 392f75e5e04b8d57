#!/usr/bin/env bash
# Top-k on the GPU of this machine: tunes it, compares with torch.topk, and leaves in OUT: tuning.db, tunings.db (the best: what data/tunings.db
# ships), topk.json (what bench/results/<gpu>/topk.json records), and logs. One part after the other, so that a call may do one:
# scripts/gpu/topk.sh OUT BIN arrays. Each adds to tuning.db and topk.json.
# usage: scripts/gpu/topk.sh OUT [BIN [PART...]]
# parts: arrays (f32, 2^16 to 2^28), short (many rows of 128 to 4096), rows (of 32768), long (of 131072, k 50), large (the same, k 2048),
#   half (bf16 rows), inputs (what is not random; benched only)
# environment: STEPS (tune bench torch), BUDGET (150s of tuning a part, shared by its problems; what is selected today is measured first),
# STRATEGY (bayesian), SAMPLES (15), BITUNE_DB (an existing database goes on where it stopped), PYTHON (python3, with torch)
set -uo pipefail
OUT=${1:-} BIN=${2:-build/portable/bin}
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
require_gpu
shift $(($# < 2 ? $# : 2))
parts=${*:-arrays short rows long large half inputs}
STEPS=${STEPS:-tune bench torch}
budget=${BUDGET:-150s}

# problems_of PART: a line for each command: keys, k, sizes, rows.
problems_of() {
  case $1 in
  arrays)
    echo "f32 100 2^16,2^20,2^24,2^28 1"
    echo "f32 10000 2^20 1"
    echo "f32 100000 2^24,2^28 1"
    ;;
  short)
    echo "f32 8 128 65536"
    echo "f32 8 256 16384"
    echo "f32 32 1024 65536"
    echo "f32 64 4096 16384"
    ;;
  rows) for rows in 1 64 4096; do echo "f32 64 32768 $rows"; done ;;
  long) for rows in 1 64 256 4096; do echo "f32 50 131072 $rows"; done ;;
  large) for rows in 1 64 256 4096; do echo "f32 2048 131072 $rows"; done ;;
  half)
    echo "bf16 64 4096 16384"
    echo "bf16 50 131072 256"
    ;;
  inputs)
    echo "f32 100 2^24 1"
    echo "f32 50 131072 256"
    ;;
  *) echo "$0: there is no part '$1'; there are arrays short rows long large half inputs" >&2 && return 1 ;;
  esac
}

# seconds DURATION: of 90s or 3m.
seconds() { [[ $1 == *m ]] && echo $((${1%m} * 60)) || echo "${1%s}"; }

for part in $parts; do
  lines=$(problems_of "$part" | wc -l)
  ((lines > 0)) || exit 2
  i=0
  while read -r keys k sizes rows; do
    options=(--operation top_k --order descending --keys "$keys" --k "$k" --sizes "$sizes")
    i=$((i + 1))
    if wants tune && [[ $part != inputs ]]; then
      step "tune-$part-$i" "$BIN/bitune" tune --budget "$(($(seconds "$budget") / lines))s" --strategy "${STRATEGY:-bayesian}" \
        "${options[@]}" --rows "$rows" </dev/null
    fi
    if wants bench; then
      distributions=random
      [[ $part == inputs ]] && distributions=sorted,reversed,all_equal,few_distinct,sawtooth
      suite=(--suite rows --rows "$rows")
      ((rows == 1)) && suite=()
      step "bench-$part-$i" "$BIN/bitune" bench --against none --samples "${SAMPLES:-15}" --out "$OUT/topk.json" \
        --distributions "$distributions" "${options[@]}" "${suite[@]}" </dev/null
      cat "$OUT/bench-$part-$i.log"
    fi
  done < <(problems_of "$part")
  if wants torch; then
    step "torch-$part" "${PYTHON:-python3}" "$here/torch_sorts.py" --missing "$OUT/topk.json"
    cat "$OUT/torch-$part.log"
  fi
done
wants tune && ship
[[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
finish
