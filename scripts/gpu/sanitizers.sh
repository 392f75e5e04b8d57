# compute-sanitizer over every variant and operation; sourced behind common.sh. Settings, for all who source it: SAMPLE (configurations
# a problem, 2), N (keys of an array, and of all rows together, 6000), SIZES (keys a row or array, 100,1000,N), KEYS (u32,u16),
# VARIANTS (those that the command knows).

# sanitize TOOL...: starts a session of each tool and variant, beside what else runs, for `together` to wait for: of arrays and rows, and of
# segments, for what the command says that the variant can do. Each configuration is verified on all distributions, so a run that reports
# nothing was right, too.
sanitize() {
  local sanitizer tool kind variant listed mine keys=${KEYS:-u32,u16} sizes=${SIZES:-100,1000,${N:-6000}}
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
  [[ -n $sanitizer ]] || { echo "compute-sanitizer is not installed here: $* are not run"; return; }
  for kind in arrays segments; do
    listed=$(sanitized_problems "$kind" --sizes "$sizes" --keys "$keys,f32" --operation all,top_k --variants "$(tr ' ' ',' <<<"${VARIANTS:-all}")" --list)
    for variant in $(cut -d ' ' -f 1 <<<"$listed" | uniq); do
      mine=$(grep -E "^$variant ([a-z_]+ (${keys//,/|})|top_k f32) " <<<"$listed" || grep "^$variant " <<<"$listed")
      for tool in "$@"; do
        # memcheck reports calls of the driver that fail, too: none is meant to fail.
        # No variant does both kinds, so that these names are of one session.
        beside "$tool-$variant" sanitize_variant "$sanitizer" "$tool" "$variant" "$kind" "$mine"
      done
    done
  done
}

# sanitized_problems KIND OPTION...: tunes arrays and rows, or segments; under what RUNNER is.
sanitized_problems() {
  local kind=$1 lengths=()
  shift
  [[ $kind == arrays ]] || lengths=(--lengths zipf)
  "${RUNNER[@]}" "$BIN/bitune" tune --total "${N:-6000}" "${lengths[@]}" "$@"
}

# sizes_of: what --sizes made these problems of: of segments the mean.
sizes_of() {
  sed -E '/ragged/!s/ rows=[0-9]+//; s/.* n=([0-9]+)( rows=([0-9]+))?.*/\1 \3/' | awk '{ print $2 ? $1 / $2 : $1 }' | sort -un | paste -sd ,
}

# column N: what the lines have there, with commas.
column() { cut -d ' ' -f "$1" | sort -u | paste -sd ,; }

# What is selected today may be of another variant, and take minutes under a sanitizer: it is left out. A session ends by itself before it
# would be cut off: what a tool has to say it says at the end.
sanitize_variant() {
  local sanitizer=$1 tool=$2 variant=$3 kind=$4 mine=$5 left=$((${LIMIT:-3600} - SECONDS - 40))
  local db=$OUT/$tool-$variant.db
  local RUNNER=(limited env BITUNE_DB="$db" "$sanitizer" --tool "$tool" --error-exitcode 9 --target-processes all)
  sanitized_problems "$kind" --sizes "$(sizes_of <<<"$mine")" --keys "$(column 3 <<<"$mine")" --operation "$(column 2 <<<"$mine")" --variants "$variant" \
    --no-incumbents --budget "$(($(wc -l <<<"$mine") * ${SAMPLE:-2}))evals,$((left > 5 ? left : 5))s" --samples 1 --finalists 0 --timeout 10m --no-resume --no-isolate && return
  local rc=$?
  # Why none of a problem's configurations sorted, if that is what went wrong.
  "$BIN/bitune" db trials --db "$db" --limit 0 | grep -v ' ok '
  return "$rc"
}

# sanitized TOOL...: what the tools said, a line for each variant. racecheck's reports on `multiway` are none: racecheck_groups.cu.
sanitized() {
  local tool log
  for tool in "$@"; do
    for log in "$OUT/$tool"-*.log; do
      [[ -f $log ]] && echo "$(basename "$log" .log): $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY|hazard' "$log" | tail -n 1)"
    done
    rm -f "$OUT/$tool"-*.db*
  done
}
