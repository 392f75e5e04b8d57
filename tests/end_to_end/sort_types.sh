#!/usr/bin/env bash
# `bitune sort` on files of every type and format against NumPy.
source "$(dirname "$0")/common.bash"

"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: $python has no numpy"; exit 77; }
"$python" "$here/sort_types.py" "$BITUNE"
