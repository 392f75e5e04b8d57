#!/usr/bin/env bash
# Tuning sessions that are stopped, killed, resumed, and run side by side lose nothing that was measured.
source "$(dirname "$0")/common.bash"

trials() {
  [ -e "$database" ] && "$BITUNE" db trials --limit 0 --json 2>/dev/null |
    "$python" -c 'import json, sys; print(len(json.load(sys.stdin)["trials"]))' || echo 0
}

# await COUNT: until the database has so many trials. SQLite itself is asked, as often as it takes no time.
await() {
  "$python" - "$database" "$1" <<'EOF' || fail "no $1 trials after a while"
import sqlite3, sys, time
path, wanted = sys.argv[1], int(sys.argv[2])
for _ in range(1600):
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as db:
            if db.execute("SELECT count(*) FROM trials").fetchone()[0] >= wanted:
                sys.exit(0)
    except sqlite3.OperationalError:
        pass  # not there yet
    time.sleep(0.05)
sys.exit(1)
EOF
}

session=(tune --device emulated --samples 3 --keys u32 --sizes 300)

# Ctrl-C: 130, what is done is stored.
"$BITUNE" "${session[@]}" --budget none --json >out 2>err &
job=$!
await 3
kill -INT "$job"
code=0
wait "$job" || code=$?
[ "$code" -eq 130 ] || fail "exit code $code after Ctrl-C"
says err "stopped"
holds 'd["interrupted"]'
kept=$(trials)
[ "$kept" -ge 3 ] || fail "Ctrl-C lost trials"
expect 0 "$BITUNE" db trials --limit 0 --json
holds 'not [t for t in d["trials"] if t["status"] in ("compile_failed", "launch_failed", "timed_out")]'

# Resuming skips what is there; --no-resume does not. What was measured first need not have been proposed first, since
# compilations overtake each other: the budget reaches past them.
expect 0 "$BITUNE" "${session[@]}" --budget 10 --json
holds 'd["problems"][0]["skipped"] >= 1'
holds 'd["problems"][0]["evaluated"] >= 1'
expect 0 "$BITUNE" db trials --limit 0 --json
configurations='[t["configuration"]["text"] for t in d["trials"] if not t["finalist"]]'
holds "len($configurations) == len(set($configurations))"
expect 0 "$BITUNE" "${session[@]}" --budget 2 --no-resume --json
holds 'd["problems"][0]["skipped"] == 0'

# kill -9: the database is sound, and the next session goes on.
before=$(trials)
"$BITUNE" "${session[@]}" --budget none >out 2>err &
job=$!
await $((before + 2))
kill -KILL "$job"
wait "$job" 2>/dev/null || true
expect 0 "$BITUNE" db check
says out "is sound"
[ "$(trials)" -ge $((before + 2)) ] || fail "kill -9 lost trials"

# Two at once into one file.
before=$(trials)
"$BITUNE" tune --device emulated --samples 3 --finalists 0 --keys i32 --sizes 200 --budget 4 --json >one.json 2>one.err &
first=$!
"$BITUNE" tune --device emulated --samples 3 --finalists 0 --keys f32 --sizes 200 --budget 4 --json >two.json 2>two.err &
second=$!
wait "$first" || fail "the first of two sessions: $(cat one.err)"
wait "$second" || fail "the second of two sessions: $(cat two.err)"
[ "$(trials)" -eq $((before + 8)) ] || fail "two sessions at once lost trials: $before before, $(trials) after"
expect 0 "$BITUNE" db check
