# compute-sanitizer over every variant and operation; sourced behind common.sh. Settings, for all who source it: SAMPLE (configurations
# a problem, 2), N (keys of an array, and of all rows together, 6000), KEYS (u32,u16), VARIANTS (those that the command knows).

# sanitize TOOL...: starts a session of each tool and variant, beside what else runs, for `together` to wait for. Each configuration is
# verified on all distributions, so a run that reports nothing was right, too.
sanitize() {
  local sanitizer tool variant
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
  [[ -n $sanitizer ]] || { echo "compute-sanitizer is not installed here: $* are not run"; return; }
  # The command lists the variants where it is asked for one that is none. array_parts begins at 2^31 keys, and launches what others name.
  [[ -n ${VARIANTS:-} ]] || VARIANTS=$("$BIN/bitune" tune --variants none 2>&1 | sed -n 's/.*the variants are //p' | tr -d , | sed 's/array_parts//')
  for variant in $VARIANTS; do
    for tool in "$@"; do
      # memcheck reports calls of the driver that fail, too: none is meant to fail.
      beside "$tool-$variant" sanitize_variant "$sanitizer" "$tool" "$variant"
    done
  done
}

# What a variant does, and of which keys: the names of those that carry something say so, of those that sort segments, and of those that
# compare numbers.
operations_of() {
  case $1 in
    *topk | select_* | filter_* | bucket_array | copied_rows | bin_*) echo top_k ;;
    *_pairs | *_by_place | *_by_digits) echo sort_pairs,argsort ;;
    *segments* | leading_digits) echo sort,sort_pairs ;;
    *) echo sort ;;
  esac
}
keys_of() {
  case $1 in
    *_numbers) echo f32 ;;
    *) echo "${KEYS:-u32,u16}" ;;
  esac
}
lengths_of() {
  case $1 in
    *segments*) echo --lengths zipf ;;
  esac
}

# Arrays and rows, or segments. The first evaluation of a problem is the incumbent's. A session ends by itself before it would be cut off: what a tool
# has to say it says at the end.
sanitize_variant() {
  local sanitizer=$1 tool=$2 variant=$3 keys operations problems left
  keys=$(keys_of "$variant")
  operations=$(operations_of "$variant")
  problems=$((3 * $(tr ',' '\n' <<<"$operations" | wc -l) * $(tr ',' '\n' <<<"$keys" | wc -l)))
  left=$((${LIMIT:-3600} - SECONDS - 40))
  # shellcheck disable=SC2046  # lengths are two words, or none
  limited env BITUNE_DB="$OUT/$tool-$variant.db" "$sanitizer" --tool "$tool" --error-exitcode 9 --target-processes all \
    "$BIN/bitune" tune --keys "$keys" --operation "$operations" --sizes "100,1000,${N:-6000}" --total "${N:-6000}" $(lengths_of "$variant") --variants "$variant" \
    --budget "$((problems * (1 + ${SAMPLE:-2})))evals,$((left > 5 ? left : 5))s" --samples 1 --finalists 0 --timeout 10m --no-resume --no-isolate && return
  local rc=$?
  # Why none of a problem's configurations sorted, if that is what went wrong.
  "$BIN/bitune" db trials --db "$OUT/$tool-$variant.db" --limit 0 | grep -v ' ok '
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
