# What the scripts of this folder share; sourced with OUT and BIN set. They run on a machine with a GPU and no network, and
# need nothing but the folder of executables that the preset `portable` makes, and NVRTC (libnvrtc.so) on the library path.
# here: this folder.

[[ -n ${OUT:-} ]] || { echo "usage: $0 OUT [BIN]   (results go to OUT; executables are in BIN: build/portable/bin)" >&2; exit 2; }
[[ -x $BIN/bitune ]] || { echo "$0: there is no bitune in $BIN: build the preset 'portable' first" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
BIN=$(cd "$BIN" && pwd)

# Nothing goes into the home of who runs this; compiled kernels are kept between runs, beside the executables.
export XDG_DATA_HOME=$BIN/../gpu-home/data XDG_CACHE_HOME=$BIN/../gpu-home/cache
export BITUNE_DB=${BITUNE_DB:-$OUT/tuning.db}

# step NAME COMMAND...: runs a command, its output in OUT/NAME.log; tells how it went, and goes on if it failed.
failed=()
step() {
  local name=$1 begin=$SECONDS rc=0
  shift
  "$@" >"$OUT/$name.log" 2>&1 || rc=$?
  printf '%-28s %s in %d s\n' "$name" "$([[ $rc == 0 ]] && echo ok || echo "FAILED ($rc)")" $((SECONDS - begin))
  if [[ $rc != 0 ]]; then
    failed+=("$name")
    tail -n 15 "$OUT/$name.log"
  fi
}

# beside NAME COMMAND...: the same beside what else runs, at most JOBS (a processor each) at a time; together waits for all of them.
declare -A beside_pids=()
beside() {
  while (($(jobs -pr | wc -l) >= ${JOBS:-$(nproc)})); do wait -n; done
  (failed=(); step "$@"; ((${#failed[@]} == 0))) &
  beside_pids[$1]=$!
}

together() {
  local name
  for name in "${!beside_pids[@]}"; do
    wait "${beside_pids[$name]}" || failed+=("$name")
  done
  beside_pids=()
}

# limited COMMAND...: runs it, but no longer than until the script has run for LIMIT seconds, where that is set.
limited() {
  if [[ -z ${LIMIT:-} ]]; then
    "$@"
  else
    timeout --kill-after=5 "$((LIMIT > SECONDS ? LIMIT - SECONDS : 1))" "$@"
  fi
}

# test_gpu NAME FILTER: starts these tests on the GPU, in SHARDS processes beside what else runs; counts are in OUT/NAME-*.json.
test_gpu() {
  local shard shards=${SHARDS:-4}
  for ((shard = 0; shard < shards; ++shard)); do
    beside "$1-$shard" limited env GTEST_TOTAL_SHARDS="$shards" GTEST_SHARD_INDEX="$shard" "$BIN/test_gpu" --gtest_filter="$2" \
      --gtest_output="json:$OUT/$1-$shard.json"
  done
}

finish() {
  [[ ${#failed[@]} == 0 ]] || { echo "failed: ${failed[*]}" >&2; exit 1; }
}

gpu_count() { "$BIN/bitune" devices --json 2>/dev/null | grep -c '"kind": *"cuda"'; }

# on SHARE COMMAND...: on one of two GPUs and its half of the processors, or on all there is where there is one GPU. COMMAND may begin with
# settings, as for env. gpus: how many there are.
on() {
  local share=$1 half=$(($(nproc) / 2)) place=()
  shift
  ((gpus < 2)) || place=(CUDA_VISIBLE_DEVICES="$share" taskset -c "$((share * half))-$((share * half + half - 1))" env)
  env "${place[@]}" "$@"
}

# wants STEP: whether it is one of STEPS, which the script has a default for.
wants() { [[ " $STEPS " == *" $1 "* ]]; }

# seconds DURATION: of 90s or 3m.
seconds() { [[ $1 == *m ]] && echo $((${1%m} * 60)) || echo "${1%s}"; }

# parts_in_turn LINES DO PART...: for each part, DO PART NUMBER COUNT LINE for each line that LINES PART prints, then DO_ended
# PART, if there is such a function. What was learnt is shipped after each part, so that a call which is cut off leaves that.
parts_in_turn() {
  local lines_of=$1 todo=$2 part i
  local -a lines
  shift 2
  for part in "$@"; do
    mapfile -t lines < <("$lines_of" "$part")
    ((${#lines[@]} > 0)) || exit 2
    for ((i = 0; i < ${#lines[@]}; ++i)); do "$todo" "$part" $((i + 1)) ${#lines[@]} "${lines[i]}" </dev/null; done
    if declare -F "${todo}_ended" >/dev/null; then "${todo}_ended" "$part"; fi
    if wants tune; then ship; fi
    [[ $BITUNE_DB == "$OUT/tuning.db" ]] || cp "$BITUNE_DB" "$OUT/tuning.db"
  done
}

# What was learnt, for people, and as what data/tunings.db ships.
ship() {
  step best "$BIN/bitune" db best
  rm -f "$OUT/tunings.db"
  step ship "$BIN/bitune" db ship "$OUT/tunings.db"
}

# require_ncu: sets ncu.
require_ncu() {
  ncu=$(command -v ncu || find /usr/local -path '*/bin/ncu' 2>/dev/null | head -n 1)
  [[ -n $ncu ]] || { echo "$0: ncu is not installed here" >&2; exit 2; }
}

require_gpu() {
  "$BIN/bitune" devices >"$OUT/devices.txt" 2>&1 || true
  if (($(gpu_count) > 0)); then
    cat "$OUT/devices.txt"
    return
  fi
  echo "$0: bitune finds no GPU here:" >&2
  cat "$OUT/devices.txt" >&2
  exit 1
}
