#!/usr/bin/env bash
# docs/performance.md says what bench/results records; and the report notices when it does not.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
report="$root/scripts/report_performance.py"
python3 "$report" --check

rm -rf results page.md tuning.md
mkdir -p results/some-gpu
"$BITUNE" bench --device emulated --against none --keys u32 --sizes 256,1000 --samples 1 --db none.db --out results/some-gpu/single.json
"$BITUNE" bench --device emulated --against none --keys u32 --sizes 256 --distributions few_distinct --samples 1 --db none.db \
  --out results/some-gpu/single.json
"$BITUNE" bench --device emulated --against none --keys u32 --suite rows --sizes 16,100 --total 800 --samples 1 --db none.db \
  --out results/some-gpu/rows.json
"$BITUNE" bench --device emulated --against none --keys u32 --suite rows --sizes 16 --rows 1,3 --samples 1 --db none.db \
  --out results/some-gpu/rows.json
cp "$root/docs/performance.md" page.md
cp "$root/docs/tuning.md" tuning.md
if python3 "$report" --check --page page.md --tuner-page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "a page that says something else was taken for the report of these results"
  exit 1
fi
grep -q 'run scripts/report_performance.py' error.txt
python3 "$report" --page page.md --tuner-page tuning.md --results "$PWD/results"
python3 "$report" --check --page page.md --tuner-page tuning.md --results "$PWD/results"
grep -q '^| 1000 |' page.md
grep -q '^| 2^8 |' page.md
grep -q '^### u32, ascending, keys that are not random$' page.md
grep -q '^| few distinct | 2^8 |' page.md
grep -q '^### u32, ascending, rows of about 800 keys in all' page.md
grep -q '^| 100 | 8 |' page.md
grep -q '^### u32, ascending, small batches' page.md
grep -q '^| 16 | 3 |' page.md

# A time as a CUDA graph (which only a GPU gives) has a column where a record has it.
if grep -q 'as graph node' page.md; then
  echo "there is a column for what nobody measured"
  exit 1
fi
sed -i '0,/"distribution":"random","n":256,"rows":1,"bitune_us":[^,]*/s//&,"graph_us":1.625/' results/some-gpu/single.json
python3 "$report" --page page.md --tuner-page tuning.md --results "$PWD/results"
grep -q '^| n | bitune | as graph node | Gkeys/s |' page.md
grep -q '^| 2^8 | [0-9.]* | 1.62 | ' page.md
grep -q '^| 1000 | [0-9.]* | – | ' page.md

# What docs/tuning.md tells of sessions.
cp "$root"/bench/results/*/tuner.json results/some-gpu/
python3 "$report" --page page.md --tuner-page tuning.md --results "$PWD/results"
grep -q '^| `tune --seed [0-9]*` |' tuning.md
grep -q '^| u32 | 2^10 |' tuning.md
sed -i 's/^| u32 | 2^10 |.*/| changed |/' tuning.md
if python3 "$report" --check --page page.md --tuner-page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "a page of the tuner that says something else was taken for its report"
  exit 1
fi
grep -q 'tuning.md does not say' error.txt

sed -i 's/"verified":true/"verified":false/' results/some-gpu/single.json
if python3 "$report" --page page.md --tuner-page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "results that were not verified were published"
  exit 1
fi
grep -q 'not verified' error.txt
