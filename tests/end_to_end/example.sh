#!/usr/bin/env bash
# The example program sorts and says how.
set -euo pipefail
example=$(dirname "$BITUNE")/sort_floats
[[ -x $example ]] || exit 77
"$example" | tee output.txt
grep -q '^sorted 5000 floats on' output.txt
grep -q '^by .*(.*: ' output.txt
