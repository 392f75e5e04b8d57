#!/usr/bin/env bash
# Wrong usage of tune, db and bench; databases that are missing, damaged, not ours, or in places that cannot be written.
source "$(dirname "$0")/common.bash"

refuses 2 "subcommand" "$BITUNE"
refuses 2 "nonsense" "$BITUNE" nonsense
refuses 2 "subcommand" "$BITUNE" db
refuses 2 "u7" tune --keys u7
refuses 2 "" tune --sizes 2^
refuses 2 "no-such-variant" tune --variants no-such-variant
refuses 2 "no-such-strategy" tune --strategy no-such-strategy
refuses 2 "not a budget" tune --budget fast
refuses 2 "not a duration" tune --timeout 5
refuses 2 "--rows" tune --rows 0
refuses 2 "--samples" tune --samples 0
refuses 2 "lumpy" tune --distribution lumpy
refuses 2 "--seed" tune --seed x
refuses 2 "sideways" tune --order sideways
refuses 2 "u7" "$BITUNE" bench --keys u7
[ ! -e "$database" ] || fail "wrong usage made a database"

for command in "db list" "db best" "db show 1" "db trials" "db check" "db prune --superseded" "db ship x.db"; do
  # shellcheck disable=SC2086
  refuses 1 "bitune tune" "$BITUNE" $command
done
[ ! -e "$database" ] || fail "looking made a database"

expect 0 tune --keys u32 --sizes 300 --budget 3
refuses 1 "no trial 99999" "$BITUNE" db show 99999
refuses 2 "names no device" "$BITUNE" db show H9000
refuses 2 "names no device" "$BITUNE" db list --device H9000
refuses 2 "u7" "$BITUNE" db trials --key u7
refuses 2 "" "$BITUNE" db trials --status splendid

printf 'this is no database, but a text that is long enough to have a header of one hundred bytes, at the least so.' >text.db
cp text.db copy.db
refuses 1 "text.db" "$BITUNE" db list --db text.db
refuses 1 "text.db" tune --db text.db --keys u32 --sizes 300 --budget 1
cmp -s text.db copy.db || fail "a file that is no database was changed"

# No place for a database: sorting works, tuning says why it does not. (A file in the way stops root, too.)
: >file
export BITUNE_DB=$folder/file/tuning.db
expect 0 "$BITUNE" sort --generate random:300 --type u32 --verify --json --device emulated
holds 'd["verified"] and d["match"] in ("default", "shipped")'
refuses 1 "file/tuning.db" tune --keys u32 --sizes 300 --budget 1
unset BITUNE_DB
export BITUNE_CACHE=$folder/file/cache
expect 0 "$BITUNE" sort --generate random:300 --type u32 --verify --json --device emulated
holds 'd["verified"] and d["match"] == "exact"'
unset BITUNE_CACHE

# A folder that may be read only; root may write it all the same, which does no harm.
chmod a-w "$(dirname "$database")" "$database"
expect 0 "$BITUNE" sort --generate random:300 --type u32 --verify --json --device emulated
holds 'd["verified"] and d["match"] == "exact"'
expect 0 "$BITUNE" db best
chmod u+w "$(dirname "$database")" "$database"

expect 0 "$BITUNE" bench --device emulated --against none --keys u32 --sizes 300 --samples 3 --out bench.json --json
holds 'd["records"][0]["n"] == 300 and d["records"][0]["verified"]'
[ -s bench.json ] || fail "bench stored nothing"
