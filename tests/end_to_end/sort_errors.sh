#!/usr/bin/env bash
# Wrong input and wrong usage of `bitune sort`: one sentence, the right exit code, and no half-written output.
source "$(dirname "$0")/common.bash"

sort=("$BITUNE" sort --device emulated)
printf '3\n1\n2\n' >good.txt
expect 0 "${sort[@]}" good.txt -o sorted.txt --json
holds 'd["output"] == "sorted.txt" and d["configuration"] and d["times"]["total_us"] > 0'
[ "$(tr '\n' ' ' <sorted.txt)" = "1 2 3 " ] || fail "not sorted"
expect 0 "${sort[@]}" good.txt
says err configuration match times
[ "$(tr '\n' ' ' <out)" = "1 2 3 " ] || fail "not sorted on standard output"

# Usage: 2.
refuses 2 "give a file" "${sort[@]}"
refuses 2 "no-such-option" "${sort[@]}" good.txt --no-such-option
refuses 2 "u7" "${sort[@]}" good.txt --type u7
refuses 2 "no format 'xml'" "${sort[@]}" good.txt --format xml
refuses 2 "no format 'xml'" "${sort[@]}" good.txt --output-format xml -o out.x
refuses 2 "--json needs -o" "${sort[@]}" good.txt --json
refuses 2 "not both" "${sort[@]}" good.txt --generate random:10 --type u32
refuses 2 "needs --type" "${sort[@]}" --generate random:10
refuses 2 "random:1000000" "${sort[@]}" --generate random --type u32
refuses 2 "strange" "${sort[@]}" --generate strange:10 --type u32
refuses 2 "2 rows of equal length" "${sort[@]}" good.txt --rows 2
refuses 2 "" "$BITUNE" sort good.txt --device nonsense
printf 'abcd' >keys.dat
refuses 2 "cannot tell what keys.dat holds" "${sort[@]}" keys.dat -o x
refuses 2 "give --type" "${sort[@]}" keys.dat --format raw -o x

# Input: 1.
refuses 1 "No such file" "${sort[@]}" missing.npy -o x
refuses 1 "is a directory" "${sort[@]}" . --format raw --type u8 -o x
: >empty.txt
: >empty.bin
: >empty.npy
refuses 1 "is empty" "${sort[@]}" empty.txt -o x
refuses 1 "is empty" "${sort[@]}" empty.bin --type u8 -o x
refuses 1 "truncated" "${sort[@]}" empty.npy -o x
refuses 1 "4 bytes" "${sort[@]}" keys.dat --format raw --type u64 -o x
printf '1\nnan\n' >nan.txt
refuses 1 "line 2: 'nan' is not a number of type i32" "${sort[@]}" nan.txt --type i32 -o x
printf '1\n256\n' >wide.txt
refuses 1 "out of the range of u8" "${sort[@]}" wide.txt --type u8 -o x
printf 'price\n1\n' >headed.csv
refuses 1 "line 1: 'price'" "${sort[@]}" headed.csv -o x
printf 'no numpy' >bad.npy
refuses 1 "not a .npy file" "${sort[@]}" bad.npy -o x

# Output: 1.
refuses 1 "no/such/folder" "${sort[@]}" good.txt -o no/such/folder/x
refuses 1 "is a directory" "${sort[@]}" good.txt -o .
refuses 1 "No space left" "${sort[@]}" good.txt -o /dev/full
code=0
"$BITUNE" devices >/dev/full 2>err || code=$?
[ "$code" -eq 1 ] || fail "a full disk under standard output goes unnoticed"

[ ! -e x ] && [ ! -e out.x ] || fail "a failed sort left its output"
[ -z "$(find . -name '.*.??????' -type f)" ] || fail "a temporary file is left: $(find . -name '.*')"

# A failed sort leaves the file that it would have replaced.
cp good.txt keep.txt
refuses 1 "'nan'" "${sort[@]}" nan.txt --type i32 -o keep.txt
cmp -s good.txt keep.txt || fail "a failed sort damaged an existing file"

# A signal while the input is still coming: nothing is left.
mkfifo slow
"${sort[@]}" - --format text -o late.txt <slow >/dev/null 2>&1 &
job=$!
exec 9>slow
echo 1 >&9
for _ in $(seq 100); do compgen -G '.late.txt.*' >/dev/null && break; sleep 0.1; done
compgen -G '.late.txt.*' >/dev/null || fail "no temporary file beside the output"
kill -TERM "$job"
code=0
wait "$job" || code=$?
exec 9>&-
[ "$code" -eq 143 ] || fail "exit code $code after SIGTERM"
[ ! -e late.txt ] && ! compgen -G '.late.txt.*' >/dev/null || fail "a signal left half an output"
