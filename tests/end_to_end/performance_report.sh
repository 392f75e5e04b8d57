#!/usr/bin/env bash
# The pages and charts say what bench/results records; and the report notices when they do not.
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
cp "$root/docs/performance-details.md" page.md
cp "$root/docs/tuning.md" tuning.md
if python3 "$report" --check --page page.md --page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "a page that says something else was taken for the report of these results"
  exit 1
fi
grep -q 'run scripts/report_performance.py' error.txt
python3 "$report" --page page.md --page tuning.md --results "$PWD/results"
python3 "$report" --check --page page.md --page tuning.md --results "$PWD/results"
grep -q '^| 1000 |' page.md
grep -q '^| 2^8 |' page.md
grep -q '^### u32, ascending, keys that are not random$' page.md
grep -q '^| few distinct | 2^8 |' page.md
grep -q '^### u32, ascending, rows of about 800 keys in all' page.md
grep -q '^| 100 | 8 |' page.md
grep -q '^### u32, ascending, small batches' page.md
grep -q '^| 16 | 3 |' page.md

# The short page names the suites; without a peer there is no ratio to tell.
cp "$root/docs/performance.md" summary.md
python3 "$report" --page summary.md --results "$PWD/results"
grep -q '^## emulated device$' summary.md
if grep -q 'times as fast as CUB' <(sed -n '/begin: generated/,$p' summary.md); then
  echo "there is a ratio to what did not run"
  exit 1
fi
# A page without marks has no place for what is generated.
echo "# Nothing" >unmarked.md
if python3 "$report" --page unmarked.md --results "$PWD/results" 2>error.txt; then
  echo "a page without marks was taken"
  exit 1
fi
grep -q 'has no mark of a generated part' error.txt

# A time as a CUDA graph (which only a GPU gives) has a column where a record has it.
if grep -q 'as graph node' page.md; then
  echo "there is a column for what nobody measured"
  exit 1
fi
sed -i '0,/"distribution":"random"[^}]*"n":256,[^}]*"bitune_us":[^,]*/s//&,"graph_us":1.625/' results/some-gpu/single.json
python3 "$report" --page page.md --page tuning.md --results "$PWD/results"
grep -q '^| n | bitune | as graph node | Gkeys/s |' page.md
grep -q '^| 2^8 | [0-9.]* | 1.62 | ' page.md
grep -q '^| 1000 | [0-9.]* | – | ' page.md

# What docs/tuning.md tells of sessions.
cp "$root"/bench/results/*/tuner.json results/some-gpu/
python3 "$report" --page page.md --page tuning.md --results "$PWD/results"
grep -q '^| `tune --seed [0-9]*` |' tuning.md
grep -q '^| u32 | 2^10 |' tuning.md
sed -i 's/^| u32 | 2^10 |.*/| changed |/' tuning.md
if python3 "$report" --check --page page.md --page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "a page of the tuner that says something else was taken for its report"
  exit 1
fi
grep -q 'tuning.md does not say' error.txt

sed -i 's/"verified":true/"verified":false/' results/some-gpu/single.json
if python3 "$report" --page page.md --page tuning.md --results "$PWD/results" 2>error.txt; then
  echo "results that were not verified were published"
  exit 1
fi
grep -q 'not verified' error.txt

# A chart that shows something else than the records say is told of; drawing it again mends that.
python=${BITUNE_PYTHON:-python3}
cp -r "$root/bench/results" drawn
cp "$root/docs/performance.md" summary.md
python3 "$report" --check --page summary.md --results drawn
sed -i '0,/"ratio":[0-9.]*/s//"ratio":9.5/' drawn/nvidia-h200/single.json
if python3 "$report" --page summary.md --results drawn 2>error.txt; then
  echo "a chart of other records was taken for one of these"
  exit 1
fi
grep -q 'single-ratio.svg does not show .* run scripts/draw_performance.py' error.txt
"$python" -c 'import matplotlib' 2>/dev/null || exit 0
"$python" "$root/scripts/draw_performance.py" --results drawn
python3 "$report" --check --page summary.md --results drawn
