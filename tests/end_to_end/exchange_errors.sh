#!/usr/bin/env bash
# Export, import and merge on the command line: where files go, and what is refused.
source "$(dirname "$0")/common.bash"

gzip -dc "$here/../data/h200_u32.db.gz" >h200.db
export BITUNE_DB=$folder/h200.db

for command in export import merge; do
  expect 0 "$BITUNE" db "$command" --help
  says out "Usage: bitune db $command" "Examples:"
done

expect 0 "$BITUNE" db export --format cache -o caches/
[ "$(wc -l <out)" -eq 3 ] && [ "$(ls caches | wc -l)" -eq 3 ] || fail "not one file for each cache: $(cat out)"
expect 0 "$BITUNE" db export --format t4 --n 2^10 --variant warp -o t4.json --gzip --json
holds 'd["format"] == "t4" and [(f["path"], f["trials"]) for f in d["files"]] == [("t4.json.gz", 349)]'
gzip -t t4.json.gz
expect 0 "$BITUNE" db export --format csv
[ "$(wc -l <out)" -ge 526 ] || fail "the table is short"
refuses 2 "these are 3 files" "$BITUNE" db export --format cache
refuses 2 "these are 3 files" "$BITUNE" db export --format cache -o one.json
[ ! -e one.json ] || fail "a refused export leaves a file"
refuses 2 "there is no format 'xml'" "$BITUNE" db export --format xml
refuses 2 "only caches can be left open" "$BITUNE" db export --open
refuses 2 "name it with -o" "$BITUNE" db export --json
refuses 1 "no trials in" "$BITUNE" db export --key f64
refuses 1 "cannot be written" "$BITUNE" db export -o /dev/null/x.json

expect 0 "$BITUNE" db import caches/*.json --db new.db --json
holds 'd["added"] == 521 and d["updated"] == d["skipped"] == d["rejected"] == 0 and len(d["files"]) == 3'
expect 0 "$BITUNE" db import t4.json.gz --db new.db
says out "0 trials added, 0 updated, 349 skipped"
expect 0 "$BITUNE" db best --db new.db --json
holds 'd["best"] == []'
expect 0 "$BITUNE" db trials --status unverified --limit 1 --db new.db --json
id=$(json 'd["trials"][0]["id"]')
expect 0 "$BITUNE" db show "$id" --db new.db
says out "unverified" "origin" "cache 'NVIDIA_H200-bitune_warp_u32_ascending-1024.json'"
# All or nothing: the second file is no good, and no database is made.
head -c 3000 caches/NVIDIA_H200-bitune_warp_u32_ascending-1024.json >cut.json
refuses 1 "'cut.json'" "$BITUNE" db import caches/NVIDIA_H200-bitune_global_u32_ascending-1024.json cut.json --db none.db
refuses 1 "cannot be read" "$BITUNE" db import missing.json --db none.db
refuses 1 "there is no tuning database" "$BITUNE" db import caches/*.json --dry-run --db none.db
[ ! -e none.db ] || fail "a refused import makes a database"

expect 0 "$BITUNE" db merge h200.db new.db --db all.db --json
holds 'd["trials"] == 525 + 521 and d["devices"] == 1 and d["known"] == 0'
expect 0 "$BITUNE" db merge new.db h200.db --db all.db
says out "0 trials of 0 sessions added" "1046 trials were there already"
expect 0 "$BITUNE" db check --db all.db
expect 0 "$BITUNE" db merge all.db --db new.db --dry-run --json
holds 'd["trials"] == 525 and d["dry_run"]'
refuses 1 "is not a SQLite database" "$BITUNE" db merge caches/*warp*.json --db none.db
refuses 1 "does not exist" "$BITUNE" db merge missing.db --db none.db
[ ! -e none.db ] || fail "a refused merge makes a database"
