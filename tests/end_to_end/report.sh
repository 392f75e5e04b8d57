#!/usr/bin/env bash
# `bitune db report`: the page of real measurements, in a real browser.
source "$(dirname "$0")/common.bash"

"$python" - "$here/../data" <<'PYTHON'
import lzma, pathlib, sys
for name, stored in {"tuning.db": "report_h200.db.xz", "bench.json": "report_h200_bench.json.xz"}.items():
    pathlib.Path(name).write_bytes(lzma.decompress(pathlib.Path(sys.argv[1], stored).read_bytes()))
PYTHON
bench=bench.json

expect 0 "$BITUNE" db report report.html --db tuning.db --bench "$bench" --json
holds 'd["devices"] == 1 and d["problems"] == 21 and d["comparisons"] > 20 and d["bytes"] < 500000'
expect 0 "$BITUNE" db report other.html --db tuning.db --key f32
says out 'other.html: 1 problems on 1 devices'
expect 0 "$BITUNE" db report - --db tuning.db --key f32
says out '<!DOCTYPE html>' '</html>'

# What is not there, not readable, not writable; then no file is left.
refuses 1 'no trials in' "$BITUNE" db report none.html --db tuning.db --n 7
refuses 1 'none.json' "$BITUNE" db report none.html --db tuning.db --bench none.json
refuses 1 'no list of bench results' "$BITUNE" db report none.html --db tuning.db --bench tuning.db
refuses 1 'missing/none.html' "$BITUNE" db report missing/none.html --db tuning.db
[ ! -e none.html ] || fail "a report that failed left a file"

# Results of other devices are no error, but are told of.
sed 's/NVIDIA H200/another GPU/' "$bench" >elsewhere.json
expect 0 "$BITUNE" db report other.html --db tuning.db --bench elsewhere.json
says err 'none of the'

# Texts that would be a script, if a page took them for one; and many more trials than a page has room for.
"$python" - <<'PYTHON'
import shutil, sqlite3
shutil.copy("tuning.db", "hostile.db")
db = sqlite3.connect("hostile.db")
hostile = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
db.execute("UPDATE software SET driver = ?, compiler = ?", (hostile, hostile))
db.execute("UPDATE trials SET message = ? WHERE status <> 'ok'", (hostile,))
columns = [row[1] for row in db.execute("PRAGMA table_info(trials)") if row[1] != "id"]
names = ", ".join(columns)
for _ in range(2):
    db.execute(f"INSERT INTO trials ({names}) SELECT {names} FROM trials WHERE NOT finalist")
db.commit()
PYTHON
expect 0 "$BITUNE" db report hostile.html --db hostile.db --json
holds 'd["bytes"] < 700000'

"$python" "$here/report_browser.py" "$here/../../scripts/lib" report.html hostile.html
